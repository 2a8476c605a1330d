/** The secrets of an operation, which must not show in its log, its errors or its events: values by where they come from. */

import { parseJson } from '../kit/exact.ts'
import { isObject, type Json, type JsonObject } from '../kit/json.ts'
import { type Mask, maskOf, secretTexts } from '../kit/redact.ts'
import { Secret } from '../kit/secret.ts'
import type { Job } from '../model/job.ts'
import type { Carryover, Outcome, Output } from '../model/outcome.ts'
import type { Situation } from '../model/situation.ts'
import { partSecrets } from './secret-values.ts'

/** What there is besides the situation. */
export interface Further {
  readonly job?: Job
  /** What the instance has handed out before. */
  readonly outputs?: readonly Output[]
  readonly outcome?: Outcome
  /** Texts and documents that the run made, whether they are handed out or not. */
  readonly made?: readonly string[]
}

export interface Secrets {
  readonly values: readonly string[]
  /** Documents, and files of lines that others may print, too: their values are secret, and the whole where it is encoded. */
  readonly files: readonly string[]
}

/** Every secret text: of the parameters, of what the operator lends, of the job, and of what came out. */
export function secretsOf(situation: Situation, further: Further): Secrets {
  const { job, outputs = [], outcome, made = [] } = further
  const handed = [...outputs, ...(outcome?.outputs ?? [])].flatMap(({ secret, content }) =>
    secret ? [Buffer.from(content).toString()] : [],
  )
  const given = job === undefined ? [] : [...secretFilesOf(job)]
  return {
    values: valuesOf(situation, further, handed),
    files: [...new Set([...given, ...made, ...handed].filter(isFile))],
  }
}

/** A mask for all of them, made at once: where little is to be hidden. */
export function maskFor(situation: Situation, further: Further): Mask {
  const { values, files } = secretsOf(situation, further)
  return maskOf(values, files)
}

function valuesOf(
  situation: Situation,
  { job, outcome, made = [] }: Further,
  handed: readonly string[],
): readonly string[] {
  const { binding, infrastructure } = situation
  const given = parametersOf(situation)
  const known = new Set([
    ...given.secrets.flatMap((value) => [...secretTexts(value)]),
    ...revealed(infrastructure),
    ...(job === undefined ? [] : secretsOfJob(job)),
  ])
  const handedOut = [
    ...secretTexts(binding?.credentials),
    ...secretTexts(outcome?.binding?.credentials),
    ...keptCredentials(situation.carryover),
    ...keptCredentials(binding?.carryover ?? {}),
    ...[...made, ...handed].flatMap((text) => [...secretsInFile(text, true)]),
  ]
  for (const text of handedOut) if (!given.open.has(text)) known.add(text)
  return [...known]
}

/** The secrets among the values that were sent or set, and the texts that everybody may see. */
function parametersOf(situation: Situation): {
  readonly secrets: readonly Json[]
  readonly open: ReadonlySet<string>
} {
  const { plan, service, package: pkg, parameters, sent, before, instance } = situation
  const { create, update, bind } = plan.schemas
  const schemas = [create, update, bind, ...pkg.actions.map((action) => action.parameters)]
  const { inputs, defaults } = plan.operator
  const values = [parameters, sent, before?.parameters, instance.parameters, inputs, defaults]
  const parted = values.flatMap((value) => (value === undefined ? [] : [partSecrets(value, schemas)]))
  const shown = parted.flatMap((part) => [...secretTexts(part.shown)])
  return {
    secrets: parted.flatMap((part) => part.secrets),
    open: new Set([...shown, service.name, plan.name, pkg.name]),
  }
}

/** What is lent as a text is secret as a whole; of a document also what its names call secret. */
function* revealed(value: unknown): Generator<string> {
  if (value instanceof Secret) {
    yield value.reveal()
    yield* secretsInDocument(value.reveal())
  } else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array))
    for (const item of Object.values(value)) yield* revealed(item)
}

/** What a package keeps by this name it will hand to its own later actions. */
function* keptCredentials({ credentials }: Carryover): Generator<string> {
  if (credentials !== undefined) yield* secretTexts(documentIn(Buffer.from(credentials).toString()))
}

/** What the program of a job is given and must not show. */
export function* secretsOfJob(job: Job): Generator<string> {
  const { steps, secrets = [] } = job
  for (const { environment } of steps) yield* revealed(environment)
  for (const text of secretFilesOf(job)) yield* secretsInFile(text)
  for (const secret of secrets) {
    yield secret.reveal()
    yield* secretTexts(documentIn(secret.reveal()))
  }
}

function* secretFilesOf({ files }: Job): Generator<string> {
  for (const { content } of files) if (content.kind === 'secret') yield content.secret.reveal()
}

/** What is no value itself: a document, and lines that are no key, whose every line would be one. */
function isFile(text: string): boolean {
  return /^\s*["[{]/.test(text) || (text.trim().includes('\n') && !text.includes('-----BEGIN '))
}

/** A file of one line is a value, of a longer one its values are secret, not the file: others may hold the same lines. */
function* secretsInFile(text: string, isHandedOut = false): Generator<string> {
  const document = documentIn(text)
  if (document !== undefined) yield* isHandedOut ? secretTexts(document) : namedSecrets(document)
  else if (!text.trim().includes('\n')) yield text
  else if (text.includes('-----BEGIN ')) yield text
  else for (const line of text.split('\n')) yield* secretsInLine(line.trim())
}

function* secretsInDocument(text: string): Generator<string> {
  const document = documentIn(text)
  if (document !== undefined) yield* namedSecrets(document)
}

function documentIn(text: string): unknown {
  if (!/^\s*["[{]/.test(text)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const secretName = /pass|pwd|secret|token|cred|key|private|auth|dsn|cert|\buri\b|\burl\b/i
const entry = /^[-\w."' ]{1,80}?\s*[:=]\s*(.+)$/

/** The texts below the names of a document that speak of secrets; the state of Terraform says it of its outputs. */
function* namedSecrets(value: unknown): Generator<string> {
  const open = [value]
  while (open.length > 0) {
    const item = open.pop()
    if (Array.isArray(item)) for (const inner of item.toReversed()) open.push(inner)
    else if (isObject(item) && item['sensitive'] === true) yield* secretTexts(item['value'])
    else if (isObject(item))
      for (const [name, inner] of Object.entries(item as JsonObject)) {
        if (secretName.test(name)) yield* secretTexts(inner)
        else open.push(inner)
      }
  }
}

/** `name: value` and `name=value`; a line that is neither is a value when it is one long word. */
function* secretsInLine(line: string): Generator<string> {
  const value = entry.exec(line)?.[1]?.replace(/^(["'])(.*)\1$/, '$2')
  if (value !== undefined && value.length >= 6) {
    if (secretName.test(line.slice(0, line.length - value.length))) yield value
  } else if (line.length >= 16 && !/\s/.test(line)) yield line
}
