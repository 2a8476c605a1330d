/** What a token of an identity provider must say to be believed, and what its claims come to here. */
import { sha256 } from '../../kit/hash.ts'
import type { JsonObject } from '../../kit/json.ts'
import type { Roles } from '../../model/access.ts'
import type { Account } from '../authenticate.ts'
import { claimedAccount } from '../claimed-account.ts'

export interface Expected {
  readonly issuer: string
  /** It must be for one of these. */
  readonly audiences: readonly string[]
  /** Of a login in a browser: the value that this login began with. */
  readonly nonce?: string
  readonly skewMs: number
}

/** Why claims are not believed; undefined: they are. */
export function faultOfClaims(claims: JsonObject, expected: Expected, now: number): string | undefined {
  const { issuer, audiences, nonce, skewMs } = expected
  const { iss, sub, exp, nbf, iat, azp } = claims
  const audience = audienceOf(claims['aud'])
  if (iss !== issuer) return 'another issuer'
  if (typeof sub !== 'string' || sub === '') return 'no subject'
  if (!audience.some((one) => audiences.includes(one))) return 'another audience'
  // Of several audiences the party it was made for must be one of ours.
  if (azp !== undefined && !audiences.includes(String(azp))) return 'made for another party'
  if (typeof exp !== 'number' || now >= exp * 1000 + skewMs) return 'its time is over'
  if (nbf !== undefined && !(typeof nbf === 'number' && now >= nbf * 1000 - skewMs))
    return 'its time has not come'
  if (iat !== undefined && !(typeof iat === 'number' && now >= iat * 1000 - skewMs)) return 'of the future'
  return nonce === undefined || claims['nonce'] === nonce ? undefined : 'of another login'
}

function audienceOf(aud: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  return all.filter((one) => typeof one === 'string')
}

/** Kinds of tokens that say whom they speak of, and not that a session has ended. */
export function isOfKind({ typ }: JsonObject): boolean {
  return typ === undefined || ['jwt', 'at+jwt', 'application/at+jwt'].includes(String(typ).toLowerCase())
}

/** A value of the claim that names roles, and what it gives here. */
export interface ClaimGrant {
  readonly value: string
  readonly role: string
  /** Empty: all tenants. */
  readonly tenants: readonly string[]
}

export interface Mapping {
  readonly usernameClaim: string
  readonly rolesClaim: string
  readonly grants: readonly ClaimGrant[]
}

/** A person that a provider spoke of: a name that no account kept here can have, and values that give roles here. */
export interface Person {
  readonly name: string
  readonly values: readonly string[]
}

/** What every name of a person of the provider begins with. */
export const personPrefix = 'oidc:'

const longestName = 200

/** Undefined: the claims give no name. */
export function personOf(
  claims: JsonObject,
  { usernameClaim, rolesClaim, grants }: Mapping,
): Person | undefined {
  const name = claims[usernameClaim]
  if (typeof name !== 'string' || !/^[^\s/]+$/u.test(name)) return undefined
  // An address that its owner has not shown to be his could be anybody's.
  if (usernameClaim === 'email' && claims['email_verified'] !== true) return undefined
  const said = claims[rolesClaim]
  const values: readonly unknown[] = Array.isArray(said) ? said : [said]
  return {
    name: personPrefix + (name.length > longestName ? sha256(name) : name),
    values: [...new Set(grants.map(({ value }) => value))].filter((value) => values.includes(value)),
  }
}

/** The account of a person, with what its values give now; of another provider it would be another account. */
export function accountOfPerson(
  { name, values }: Person,
  {
    issuer,
    grants,
    roles,
  }: { readonly issuer: string; readonly grants: Mapping['grants']; readonly roles: Roles },
): Account {
  const given = grants.filter(({ value }) => values.includes(value))
  return claimedAccount({ name, given, roles, claimed: values, version: issuer })
}
