/** Claims and results: the records of runs, in the words of the specification; built and read, kept by others. */
import { parseJson } from '../../kit/exact.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import { actionOf } from './actions.ts'
import type { Bundle } from './bundle.ts'
import { readBundle } from './format.ts'
import { sourcesOf } from './sources.ts'
import type { Verdict } from './verdict.ts'

/** The record of one run, made before it starts and never changed. */
export interface Claim {
  readonly id: string
  readonly installation: string
  readonly revision: string
  readonly action: string
  /** bundle.json as a value. */
  readonly bundle: JsonObject
  /** RFC 3339. */
  readonly created: string
  readonly bundleReference?: string
  /** All that were resolved, typed; secret ones, too. */
  readonly parameters: JsonObject
  readonly custom?: Json
}

export type ResultStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'unknown'

/** What became of a run; a claim may have several, of which the last counts. */
export interface Result {
  readonly id: string
  readonly claimId: string
  readonly created: string
  readonly status: ResultStatus
  readonly message?: string
  readonly outputs: Readonly<Record<string, JsonObject>>
  readonly custom?: Json
}

export type Reading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

/** The output under which logs are kept. */
export const logsOutput = 'io.cnab.outputs.invocationImageLogs'
/** What only we write into claims: which parameters were given, and are therefore remembered. */
const ownKey = 'io.chandler'

/** The document of a claim, as it is mounted and stored. */
export function claimDocument(claim: Claim): JsonObject {
  return { schemaVersion: '1.0.0', ...claim }
}

/** For a new claim: which of its parameters were given by people. */
export function claimCustom(given: readonly string[]): Json {
  return { [ownKey]: { given: [...given].sort() } }
}

/** The parameters of a claim that people gave; of other tools' claims all that no output supplies. */
export function givenIn({ custom, parameters }: Claim, bundle: Bundle): JsonObject {
  const own = isObject(custom) ? custom[ownKey] : undefined
  const names = isObject(own) && Array.isArray(own['given']) ? own['given'] : undefined
  const isGiven = (name: string) =>
    names === undefined ? sourcesOf(bundle, name).length === 0 : names.includes(name)
  return Object.fromEntries(
    Object.entries(parameters).filter(([name]) => Object.hasOwn(bundle.parameters, name) && isGiven(name)),
  )
}

/** The document of a result. */
export function resultDocument(result: Result): JsonObject {
  const { outputs, ...rest } = result
  return { schemaVersion: '1.0.0', ...rest, ...(Object.keys(outputs).length === 0 ? {} : { outputs }) }
}

/** The result of a run that has been judged. */
export function resultOf(
  verdict: Verdict,
  { id, claimId, created }: Pick<Result, 'id' | 'claimId' | 'created'>,
): Result {
  return {
    id,
    claimId,
    created,
    status: verdict.status,
    ...(verdict.message === '' ? {} : { message: verdict.message }),
    outputs: Object.fromEntries(
      verdict.outputs.map(({ name, contentDigest, generatedByBundle }) => [
        name,
        { contentDigest, generatedByBundle: String(generatedByBundle) },
      ]),
    ),
  }
}

/** Reads a claim of any tool. */
export function readClaim(bytes: Uint8Array): Reading<Claim> {
  return reading(bytes, (document, fault) => {
    const claim: Claim = {
      id: text(document, 'id', fault),
      installation: text(document, 'installation', fault),
      revision: text(document, 'revision', fault),
      action: text(document, 'action', fault),
      created: text(document, 'created', fault),
      bundle: isObject(document['bundle']) ? (document['bundle'] as JsonObject) : {},
      parameters: isObject(document['parameters']) ? (document['parameters'] as JsonObject) : {},
      ...(typeof document['bundleReference'] === 'string'
        ? { bundleReference: document['bundleReference'] }
        : {}),
      ...present({ custom: document['custom'] }),
    }
    if (!isObject(document['bundle'])) fault('/bundle', 'the bundle must be set')
    return claim
  })
}

/** What is wrong with a claim beyond its form: its action must be the bundle's. */
export function faultsOfClaim(claim: Claim): readonly Problem[] {
  const actions = isObject(claim.bundle['actions']) ? claim.bundle['actions'] : {}
  const read = readBundle(new TextEncoder().encode(JSON.stringify(claim.bundle)))
  const known =
    ['install', 'upgrade', 'uninstall'].includes(claim.action) ||
    Object.hasOwn(actions, claim.action) ||
    (read.kind === 'bundle' && actionOf(read.bundle, claim.action) !== undefined)
  if (known) return []
  const detail = `action ${JSON.stringify(claim.action)} is not defined in the bundle`
  return [{ code: 'cnab.claim.invalid', detail, where: { pointer: '/action' } }]
}

const oldWords: Readonly<Record<string, ResultStatus>> = {
  cancelled: 'canceled',
  success: 'succeeded',
  failure: 'failed',
  underway: 'running',
}
const statuses: readonly string[] = ['pending', 'running', 'succeeded', 'failed', 'canceled', 'unknown']

/** The status that a word means; other words are unknown. */
export function readStatus(word: string): ResultStatus {
  if (statuses.includes(word)) return word as ResultStatus
  return (Object.hasOwn(oldWords, word) ? oldWords[word] : undefined) ?? 'unknown'
}

/** Reads a result of any tool. */
export function readResult(bytes: Uint8Array): Reading<Result> {
  return reading(bytes, (document, fault) => ({
    id: text(document, 'id', fault),
    claimId: text(document, 'claimId', fault),
    created: text(document, 'created', fault),
    status: readStatus(text(document, 'status', fault)),
    ...(typeof document['message'] === 'string' ? { message: document['message'] } : {}),
    outputs: isObject(document['outputs']) ? (document['outputs'] as Result['outputs']) : {},
    ...present({ custom: document['custom'] }),
  }))
}

function reading<T>(
  bytes: Uint8Array,
  read: (document: JsonObject, fault: (pointer: string, detail: string) => void) => T,
): Reading<T> {
  const problems: Problem[] = []
  const fault = (pointer: string, detail: string) =>
    problems.push({ code: 'cnab.claim.invalid', detail, where: { pointer } })
  let document: unknown
  try {
    document = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    document = undefined
  }
  if (!isObject(document)) {
    return { kind: 'refused', problems: [{ code: 'cnab.claim.invalid', detail: 'it is no JSON object' }] }
  }
  const value = read(document as JsonObject, fault)
  const [first, ...rest] = problems
  return first ? { kind: 'refused', problems: [first, ...rest] } : { kind: 'read', value }
}

const said: Readonly<Record<string, string>> = { id: 'claim id' }

function text(document: JsonObject, key: string, fault: (pointer: string, detail: string) => void): string {
  const value = document[key]
  if (typeof value === 'string' && value !== '') return value
  fault(`/${key}`, `the ${said[key] ?? key} must be set`)
  return ''
}
