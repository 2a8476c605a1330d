/** Judges credentials: those of the settings at once, those of the store by looking; wrong ones are guesses, and counted. */
import type { Clock } from '../kit/clock.ts'
import { sha256 } from '../kit/hash.ts'
import { fail, toProblem } from '../model/problem.ts'
import type { Account, Gate } from './authenticate.ts'
import type { StoredAccounts } from './stored-accounts.ts'
import { makeTokenBuckets, type Rate, type TokenBuckets } from './token-bucket.ts'

export interface Credentials {
  readonly authorization: string
  readonly address: string
}

export interface Judge {
  /** Problems: request.unauthenticated, request.too-many. */
  judge(given: Credentials, failedPerSecond: number): Account | Promise<Account>
  /**
   * Tries what a known caller proves itself with once more; a wrong proof is a guess at its account, from whichever
   * address it comes. Problems: request.too-many.
   */
  prove(account: string, failedPerSecond: number, isRight: () => Promise<boolean>): Promise<boolean>
}

export interface JudgeParts {
  readonly gate: Pick<Gate, 'admit' | 'claimed'>
  /** Absent: there are no accounts but those of the settings. */
  readonly stored?: Pick<StoredAccounts, 'admit'>
  readonly clock: Pick<Clock, 'monotonic'>
}

/** So many credentials of the store are known to have been right, so that their next use is no guess. */
const provenMax = 20_000

export function makeJudge({ gate, stored, clock }: JudgeParts): Judge {
  const guesses = makeTokenBuckets(clock)
  const proven = new Set<string>()
  const underWay = new Map<string, Promise<unknown>>()

  const inStore = async (admits: StoredAccounts['admit'], key: string, header: string): Promise<Account> => {
    const account = await admits(header)
    if (account === undefined) {
      proven.delete(key)
      return fail('request.unauthenticated')
    }
    proven.add(key)
    if (proven.size > provenMax) for (const oldest of proven.keys().take(1)) proven.delete(oldest)
    return account
  }

  const judge: Judge['judge'] = (given, perSecond) => {
    const { authorization, address } = given
    const key = sha256(`${address} ${authorization}`)
    if (stored !== undefined && proven.has(key)) return inStore(stored.admit, key, authorization)
    const rate: Rate = { perSecond, most: perSecond }
    // Guesses at one account say nothing of another one; all unknown names are one.
    const name = JSON.stringify([gate.claimed(authorization), address])
    const count = () =>
      guesses.take(name, rate) || fail('request.too-many', 'too many refused credentials from this address')
    // The same credentials sent many times at once are judged once. Right ones then look for themselves; of wrong ones
    // each is a guess.
    const first = underWay.get(key)
    if (first !== undefined)
      return first.then(
        () => judge(given, perSecond),
        (error: unknown) => {
          count()
          throw error
        },
      )
    // A guess is counted before it is judged.
    count()
    const account = gate.admit(authorization, address)
    if (account !== undefined) {
      guesses.giveBack(name, rate)
      return account
    }
    if (stored === undefined) return fail('request.unauthenticated')
    const looked = inStore(stored.admit, key, authorization)
    const ended = looked
      .then(
        () => guesses.giveBack(name, rate),
        (error: unknown) => {
          if (toProblem(error).code !== 'request.unauthenticated') guesses.giveBack(name, rate)
          throw error
        },
      )
      .finally(() => underWay.delete(key))
    underWay.set(key, ended)
    return ended.then(() => looked)
  }
  return { judge, prove: makeProver(guesses) }
}

function makeProver(guesses: TokenBuckets): Judge['prove'] {
  return async (account, perSecond, isRight) => {
    const rate: Rate = { perSecond, most: perSecond }
    const name = JSON.stringify(['own', account])
    if (!guesses.take(name, rate)) fail('request.too-many', 'too many wrong passwords of this account')
    const right = await isRight().catch((error: unknown) => {
      guesses.giveBack(name, rate)
      throw error
    })
    if (right) guesses.giveBack(name, rate)
    return right
  }
}
