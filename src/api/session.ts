/** A session of a browser: its account, its token for changes, its end. */
import { Type } from 'typebox'
import { type Access, permissionNames, reachOf } from '../model/access.ts'
import { moment, type Of } from './words.ts'

export const Session = Type.Object(
  {
    user: Type.Object({ name: Type.String(), role: Type.String() }),
    permissions: Type.Array(Type.String(), { description: 'What it may do, somewhere.' }),
    csrf: Type.String({ description: 'Each change must carry it as `X-CSRF-Token` besides the cookie.' }),
    endsAt: Type.String({ format: 'date-time', description: 'When it ends in any case.' }),
    idleSeconds: Type.Number({ description: 'How long it lasts without a request of the person.' }),
  },
  { title: 'Session' },
)
export type Session = Of<typeof Session>

interface Begun {
  readonly account: { readonly name: string; readonly role: string; readonly access: Access }
  readonly csrf: string
  readonly endsAt: number
  readonly idleMs: number
}

export function toSession({ account: { name, role, access }, csrf, endsAt, idleMs }: Begun): Session {
  const permissions = permissionNames.filter((one) => reachOf(access, one).length > 0)
  return { user: { name, role }, permissions, csrf, endsAt: moment(endsAt), idleSeconds: idleMs / 1000 }
}
