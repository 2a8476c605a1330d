/** The answers of the Kubernetes API that are no objects: the `Status` document, with its reasons. */
import type { JsonObject } from '../../kit/json.ts'

export interface Answer {
  readonly code: number
  /** Bytes are a document in the binary form of Protocol Buffers. */
  readonly body: JsonObject | string | Uint8Array
}

export type Reason =
  | 'BadRequest'
  | 'InternalError'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'AlreadyExists'
  | 'Conflict'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'ServiceUnavailable'

const codes: Readonly<Record<Reason, number>> = {
  BadRequest: 400,
  InternalError: 500,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  AlreadyExists: 409,
  Conflict: 409,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  ServiceUnavailable: 503,
}

/** A refusal as clients of Kubernetes read it. */
export function refusal(
  reason: Reason,
  message: string,
  about?: { readonly kind: string; readonly name?: string },
): Answer {
  const code = codes[reason]
  return {
    code,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(about === undefined ? {} : { details: { ...about } }),
      code,
    },
  }
}

/** What a deleted object is answered with. */
export function deleted(kind: string, name: string): Answer {
  return {
    code: 200,
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { name, kind } },
  }
}
