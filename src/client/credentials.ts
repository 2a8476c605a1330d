/** What is shown to a broker: a user and a password, or a token. */
import type { Secret } from '../kit/secret.ts'

export type Credentials = UserCredentials | { readonly token: Secret }

export interface UserCredentials {
  readonly user: string
  readonly password: Secret
}

/** The value of the Authorization header for some credentials. */
export function authorizationOf(credentials: Credentials): string {
  if ('token' in credentials) return `Bearer ${credentials.token.reveal()}`
  const { user, password } = credentials
  return `Basic ${Buffer.from(`${user}:${password.reveal()}`).toString('base64')}`
}
