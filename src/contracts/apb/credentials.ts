/** The credentials that a run left: in its Secret, or printed by images of runtime 1. */
import { depth, isObject, type JsonObject } from '../../kit/json.ts'
import type { Problem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import { argumentBytesMax, encodeVars } from './extra-vars.ts'
import { wanted } from './job.ts'

/** Deeper than any credentials; what walks through them must come to an end. */
const levelsMax = 100
/** Of an argument, for the names and ids that every action is given. */
const injectedBytes = 16 * 1024

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
  if (!isObject(value)) return refused(`${where} is not a JSON object`)
  if (depth(value, levelsMax + 1) > levelsMax) return refused(`${where} has more than ${levelsMax} levels`)
  return { kind: 'credentials', credentials: value as JsonObject }
}

function refused(detail: string): CredentialsReading {
  return { kind: 'refused', problem: { code: 'apb.credentials', detail } }
}

/** What no later action could be told of, beside all else that it is given: an instance of it could not even be deleted. */
export function faultOfSize(all: JsonObject): Problem | undefined {
  const bytes = Buffer.byteLength(encodeVars(all))
  const most = argumentBytesMax - injectedBytes
  if (bytes <= most) return undefined
  const detail = `with the parameters they are ${bytes} bytes; of an argument no more than ${most} are free for them`
  return { code: 'apb.credentials', detail }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Whatever is no JSON is told as such by the caller.
    return undefined
  }
}
