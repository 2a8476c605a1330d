/** What is shown to a broker: a user and a password, or a token. */
import { Secret } from '../kit/secret.ts'
import { fail } from '../model/problem.ts'

export type Credentials = UserCredentials | { readonly token: Secret }

export interface UserCredentials {
  readonly user: string
  readonly password: Secret
}

/** A token as a person or a file gives it. Problems: usage.invalid where no header can hold it. */
export function tokenCredentials(text: string): Credentials {
  if (!/^[\x21-\x7e]+$/.test(text))
    fail('usage.invalid', 'the token has characters that no token has', {
      hint: 'Copy it as a whole, or make another one: chandler token create.',
    })
  return { token: new Secret(text) }
}

/** The value of the Authorization header for some credentials. */
export function authorizationOf(credentials: Credentials): string {
  if ('token' in credentials) return `Bearer ${credentials.token.reveal()}`
  const { user, password } = credentials
  return `Basic ${Buffer.from(`${user}:${password.reveal()}`).toString('base64')}`
}
