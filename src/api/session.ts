/** A session of a browser: its account, its token for changes, its end. */
import { Type } from 'typebox'
import { type Access, isEverywhere, permissionNames, reachOf } from '../model/access.ts'
import { moment, type Of } from './words.ts'

export const Session = Type.Object(
  {
    user: Type.Object({ name: Type.String(), role: Type.String() }),
    keptIn: Type.Union([Type.Literal('configuration'), Type.Literal('store'), Type.Literal('provider')], {
      description: 'Where the account is, and its password. Those of the store change their own.',
    }),
    permissions: Type.Array(Type.String(), { description: 'What it may do, somewhere.' }),
    everywhere: Type.Array(Type.String(), { description: 'What of it it may do in all tenants.' }),
    csrf: Type.String({ description: 'Each change must carry it as `X-CSRF-Token` besides the cookie.' }),
    endsAt: Type.String({ format: 'date-time', description: 'When it ends in any case.' }),
    idleSeconds: Type.Number({ description: 'How long it lasts without a request of the person.' }),
  },
  { title: 'Session' },
)
export type Session = Of<typeof Session>

interface Begun {
  readonly account: {
    readonly name: string
    readonly role: string
    readonly access: Access
    /** Of accounts of the store and people of a provider. */
    readonly version?: string
    /** Of people of a provider. */
    readonly claimed?: readonly string[]
  }
  readonly csrf: string
  readonly endsAt: number
  readonly idleMs: number
}

export function toSession({ account, csrf, endsAt, idleMs }: Begun): Session {
  const { name, role, access, version, claimed } = account
  const permissions = permissionNames.filter((one) => reachOf(access, one).length > 0)
  const everywhere = permissions.filter((one) => isEverywhere(reachOf(access, one)))
  const isKept = version === undefined ? 'configuration' : 'store'
  return {
    user: { name, role },
    keptIn: claimed === undefined ? isKept : 'provider',
    ...{ permissions, everywhere, csrf, endsAt: moment(endsAt), idleSeconds: idleMs / 1000 },
  }
}
