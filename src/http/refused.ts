/** Which refused requests belong into the audit trail, and how they are told there. */
import type { IncomingMessage } from 'node:http'
import type { Refusal } from '../broker/refusals.ts'
import type { ProblemCode } from '../model/problem-codes.ts'
import type { Gate } from './authenticate.ts'

export interface LoginContext {
  readonly gate: Pick<Gate, 'claimed'>
  source(request: IncomingMessage): string
}

/** Credentials that were given and refused; a request without any is only asked for them. */
export function failedLogin(
  { gate, source }: LoginContext,
  request: IncomingMessage,
  { code, requestId }: { readonly code: ProblemCode; readonly requestId: string },
): Refusal | undefined {
  const { authorization } = request.headers
  if (authorization === undefined) return undefined
  return {
    // The account is not proven: the given name is only told where there is such an account.
    asker: {
      platform: '',
      account: { kind: 'user', id: 'unknown' },
      requestId,
      source: source(request),
    },
    deed: {
      action: 'login.failed',
      kind: 'account',
      id: gate.claimed(authorization) ?? 'unknown',
      refusal: { denied: true, code },
    },
  }
}

/** What one may not do, as opposed to what cannot be done. */
export const deniedCodes: ReadonlySet<ProblemCode> = new Set([
  'request.forbidden',
  'request.user-refused',
  'broker.quota',
])
