/** The credentials that a run left: in its Secret, or printed by images of runtime 1. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import type { Problem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import { wanted } from './job.ts'

export type CredentialsReading =
  | { readonly kind: 'credentials'; readonly credentials: JsonObject }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly problem: Problem }

export function readCredentials({ got }: Report): CredentialsReading {
  const objects = got.get(wanted.cluster)
  const fields = objects?.kind === 'cluster-objects' ? objects.secret?.['fields'] : undefined
  if (fields !== undefined) return parse(new TextDecoder().decode(fields), 'the Secret of the pod')
  const printed = got.get(wanted.credentials)
  if (printed?.kind !== 'bytes') return { kind: 'none' }
  const encoded = new TextDecoder().decode(printed.bytes).trim()
  return parse(Buffer.from(encoded, 'base64').toString('utf8'), 'what broker-bind-creds printed')
}

function parse(text: string, where: string): CredentialsReading {
  const value = parsed(text)
  if (isObject(value)) return { kind: 'credentials', credentials: value as JsonObject }
  return { kind: 'refused', problem: { code: 'apb.credentials', detail: `${where} is not a JSON object` } }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Whatever is no JSON is told as such by the caller.
    return undefined
  }
}
