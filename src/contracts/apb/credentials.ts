/** The credentials that a run left: in its Secret, or printed by images of runtime 1. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import type { Problem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import { wanted } from './job.ts'

export type CredentialsReading =
  | { readonly kind: 'credentials'; readonly credentials: JsonObject }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly problem: Problem }

export function readCredentials(report: Report): CredentialsReading {
  const [written] = credentialTexts(report)
  return written === undefined ? { kind: 'none' } : parse(written.text, written.where)
}

/** Everything that a run wrote or printed as credentials, whatever became of it. */
export function* writtenCredentials(report: Report): Generator<string> {
  for (const { text } of credentialTexts(report)) yield text
  const objects = report.got.get(wanted.cluster)
  if (objects?.kind !== 'cluster-objects') return
  for (const bytes of Object.values(objects.secret ?? {})) yield new TextDecoder().decode(bytes)
}

function* credentialTexts({ got }: Report): Generator<{ readonly text: string; readonly where: string }> {
  const objects = got.get(wanted.cluster)
  const fields = objects?.kind === 'cluster-objects' ? objects.secret?.['fields'] : undefined
  if (fields !== undefined) yield { text: new TextDecoder().decode(fields), where: 'the Secret of the pod' }
  const printed = got.get(wanted.credentials)
  if (printed?.kind !== 'bytes') return
  const encoded = new TextDecoder().decode(printed.bytes).trim()
  yield {
    text: Buffer.from(encoded, 'base64').toString('utf8'),
    where: 'what broker-bind-creds printed',
  }
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
