/** One transaction on one connection, its statements sent without waiting where the answer is not needed. */
import type { ClientBase } from 'pg'
import { InvariantError, invariant } from '../../kit/assert.ts'
import type { Session, Value } from '../database.ts'
import { type Answer, command, dialect, nowOf } from './line.ts'
import { mergeChanges, mergeQuestions, type Question, runPipelined, type Statement } from './pipelined.ts'
import { isAftermath, isDisconnect } from './problem.ts'
import type { ServerTime } from './server-time.ts'

type Committed =
  | { readonly kind: 'committed' }
  | { readonly kind: 'refused'; readonly error: unknown }
  /** The connection broke under the commit: only the server knows, by the transaction's number. */
  | { readonly kind: 'unknown'; readonly number: string; readonly error: unknown }

export interface OpenTransaction {
  /** For one of the callers that share it: what each of them sends is done in its order. */
  member(): Session
  commit(): Promise<Committed>
  /** Ends it without keeping anything; false: the connection is of no more use. */
  rollback(): Promise<boolean>
  /** What really went wrong, when later statements only say that something had. */
  firstError(): unknown
}

const beginning = 'BEGIN; SELECT pg_current_xact_id()::text AS number, now_ms() AS now'

/** Begins; the first statement does not wait for it. `settings` hold for this transaction only. */
export function begin(client: ClientBase, time: ServerTime, settings = ''): OpenTransaction {
  let isOver = false
  let firstError: unknown
  const noting = (error: unknown): void => {
    // Of failures that come together the first need not be heard first.
    if (firstError === undefined || isAftermath(firstError)) firstError = error
  }
  const told = time.asked()
  const opened = command(client, settings === '' ? beginning : `${beginning.replace(';', `;${settings};`)}`)
  opened.then(({ rows }) => told(nowOf(rows[0])), noting)

  const members: Statement[][] = []
  let questions: Question[] = []
  const heard: Promise<void>[] = []
  const takeChanges = (): readonly Question[] => {
    const taken = mergeChanges(client, members)
    for (const member of members) member.length = 0
    return taken.map((change) => ({ ...change, answered: () => undefined, failed: noting }))
  }
  const askGathered = (): void => {
    const asked = questions
    questions = []
    if (isOver) for (const { failed } of asked) failed(tooLate())
    else heard.push(runPipelined(client, [...takeChanges(), ...mergeQuestions(client, asked, failAll)]))
  }
  const gather = (statement: Pick<Question, 'text' | 'values' | 'first'>): Promise<Answer> => {
    if (isOver) throw tooLate()
    return new Promise((answered, failed) => {
      if (questions.length === 0) process.nextTick(askGathered)
      questions.push({
        ...statement,
        answered,
        failed: (error) => {
          noting(error)
          failed(error)
        },
      })
    })
  }
  return {
    member: () => {
      const sent: Statement[] = []
      members.push(sent)
      return {
        dialect,
        now: async () => Math.max(nowOf((await opened).rows[0]), time.reckoned() ?? 0),
        steps: () => time.steps(),
        get: async (text, ...values) => (await gather({ text, values, first: true })).rows[0],
        all: async (text, ...values) => (await gather({ text, values })).rows,
        run: async (text, ...values) => (await gather({ text, values })).changed,
        // Its failure is seen at the next question or the commit.
        send: async (text: string, ...values: readonly Value[]) => {
          invariant(!isOver, 'a transaction is not used after its end')
          sent.push({ text, values })
        },
      }
    },
    commit: () => {
      isOver = true
      return commit({ client, opened, heard, takeChanges, firstError: () => firstError })
    },
    rollback: () => {
      isOver = true
      return rollBack(client)
    },
    firstError: () => firstError,
  }
}

function rollBack(client: ClientBase): Promise<boolean> {
  return command(client, 'ROLLBACK').then(
    () => true,
    () => false,
  )
}

interface Committing {
  readonly client: ClientBase
  readonly opened: Promise<Answer>
  /** Resolve when what was sent before has been answered. */
  readonly heard: Promise<void>[]
  takeChanges(): readonly Question[]
  firstError(): unknown
}

async function commit({ client, opened, heard, takeChanges, firstError }: Committing): Promise<Committed> {
  let number: string
  try {
    // Without its number the fate of a broken commit could not be asked for.
    number = String((await opened).rows[0]?.['number'])
  } catch (error) {
    return { kind: 'refused', error }
  }
  try {
    const { command: done } = await new Promise<Answer>((answered, failed) => {
      heard.push(runPipelined(client, takeChanges(), { text: 'COMMIT', values: [], answered, failed }))
    })
    if (done === 'COMMIT') return { kind: 'committed' }
    await Promise.all(heard)
    // A transaction in which something failed is rolled back by its commit, without an error.
    return { kind: 'refused', error: firstError() }
  } catch (error) {
    await Promise.all(heard)
    const first = firstError()
    if (first !== undefined && !isDisconnect(first)) return { kind: 'refused', error: first }
    return isDisconnect(error) ? { kind: 'unknown', number, error } : { kind: 'refused', error }
  }
}

function failAll(asked: readonly Question[], error: unknown): void {
  for (const { failed } of asked) failed(error)
}

function tooLate(): InvariantError {
  return new InvariantError('a transaction is not used after its end')
}
