/**
 * The way in for operators at the machine, when every other one is lost: a token that is signed with the key ring of
 * the cluster, made without a running broker, and worth everything for an hour.
 */
import { sameText } from '../kit/hash.ts'
import { localGrantMs, localGrantPrefix } from '../model/account.ts'

export interface LocalGrant {
  readonly id: string
  /** Why it was made, for the audit trail. */
  readonly reason: string
  readonly issuedAt: number
}

/** Signs with a key of the ring; undefined: there is no such key. */
export type SignText = (key: string, text: string) => string | undefined

/** Clocks of two machines may differ by so much. */
const skewMs = 60_000

export const reasonMax = 200

/** The text of the token. */
export function writeLocalGrant(grant: LocalGrant, key: string, sign: SignText): string | undefined {
  const body = Buffer.from(JSON.stringify([key, grant.id, grant.reason, grant.issuedAt])).toString(
    'base64url',
  )
  const signature = sign(key, body)
  return signature === undefined ? undefined : `${localGrantPrefix}${body}.${signature}`
}

/** What a token says, if a key of the ring signed it and its hour is not over. */
export function readLocalGrant(text: string, sign: SignText, now: number): LocalGrant | undefined {
  if (!text.startsWith(localGrantPrefix)) return undefined
  const [body = '', signature = '', ...more] = text.slice(localGrantPrefix.length).split('.')
  const said = more.length === 0 ? parsed(body) : undefined
  if (said === undefined) return undefined
  const expected = sign(said.key, body)
  if (expected === undefined || !sameText(signature, expected)) return undefined
  const age = now - said.grant.issuedAt
  return age >= -skewMs && age < localGrantMs ? said.grant : undefined
}

function parsed(body: string): { readonly key: string; readonly grant: LocalGrant } | undefined {
  try {
    const all: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
    if (!Array.isArray(all)) return undefined
    const [key, id, reason, issuedAt] = all as readonly unknown[]
    if (typeof key !== 'string' || typeof id !== 'string') return undefined
    if (typeof reason !== 'string' || typeof issuedAt !== 'number') return undefined
    return { key, grant: { id, reason, issuedAt } }
  } catch {
    return undefined
  }
}
