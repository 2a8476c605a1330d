/** Doubts about values that stand in a package: configurations of executors, and the examples that it brings along. */
import { isObject, type Json, type JsonObject, pointer, stepsOf, at as valueAt } from '../../kit/json.ts'
import { meantKey } from '../../kit/near-keys.ts'
import { compileSchema } from '../../kit/schema.ts'
import { propertiesOf, schemaAt, valueHint } from '../../kit/value-hint.ts'
import type { Place } from '../../model/problem.ts'
import type { Document } from './document.ts'
import type { ExecutorDocument, ExecutorEntry, Requests } from './format.ts'
import { writeInstead } from './missing.ts'
import type { SeenPackage, Tell } from './seen.ts'
import { readDocument } from './spiff.ts'

const faultsMax = 20

/** The configuration of an entry by the scheme of its executor. What has expressions is only known when it runs. */
export function lintConfig(
  { at, config }: ExecutorEntry,
  { scheme, libraries }: ExecutorDocument,
  text: Document,
  tell: Tell,
): void {
  if (config === undefined || scheme === undefined || libraries.length > 0) return
  const where = (below: string): Place => text.where(`${pointer(at, 'config')}${below}`)
  judged(config.value, scheme, (below, message, fix) =>
    tell(where(below), `the executor refuses its config: ${message}`, fix),
  )
}

/** The faults of a value, each with what to write. */
function judged(
  value: Json,
  scheme: JsonObject,
  tell: (below: string, message: string, fix: string) => void,
): void {
  if (JSON.stringify(value).includes('((')) return
  const compiled = compileSchema(scheme)
  // What is wrong with the scheme itself is told where it stands.
  if (compiled.kind === 'refused') return
  const told = new Set<string>()
  for (const { pointer: below, message } of compiled.check(value).slice(0, faultsMax)) {
    // What is of a wrong type breaks other keywords, too.
    if (told.has(below)) continue
    told.add(below)
    const subject = stepsOf(below).join('.') || 'it'
    tell(below, `${subject} ${message}`, fixFor(below, message, { value, scheme }))
  }
}

function fixFor(
  below: string,
  message: string,
  { value, scheme }: { readonly value: Json; readonly scheme: JsonObject },
): string {
  const key = stepsOf(below).at(-1) ?? ''
  if (message === 'is required') return 'Add it.'
  if (message === 'is not known here') {
    const known = Object.keys(propertiesOf(schemaAt(scheme, below.slice(0, below.lastIndexOf('/')))))
    const meant = meantKey(key, known)
    return meant === undefined
      ? `Take it out; the scheme knows ${known.join(', ') || 'nothing'}.`
      : `Write "${meant}" instead.`
  }
  return (
    valueHint(key, valueAt(value, below) as Json | undefined, schemaAt(scheme, below)) ??
    'Write what the scheme takes, or change the scheme.'
  )
}

/** The example files by the scheme of the package, where that is sound, and by its requests, where they fit the executor. */
export function lintExamples(
  { document, examples }: SeenPackage,
  { isSound, fits }: { readonly isSound: boolean; readonly fits: boolean },
  tell: Tell,
): void {
  const { configFile, credentialsFile } = examples
  const parameters = configFile && exampleOf(configFile.text, tell)
  if (parameters !== undefined && configFile !== undefined && isSound && document.scheme !== undefined)
    judged(parameters ?? {}, document.scheme, (below, message, fix) =>
      tell(configFile.text.where(below), `the example breaks the scheme of the package: ${message}`, fix),
    )
  const lent = credentialsFile && exampleOf(credentialsFile.text, tell)
  if (credentialsFile !== undefined && fits && isObject(lent) && isObject(lent['credentials']))
    lintCredentials(lent['credentials'] as JsonObject, document.credentials, credentialsFile.text, tell)
}

function exampleOf(text: Document, tell: Tell): Json | undefined {
  const read = readDocument(text)
  if (read.kind === 'done') return read.value
  const [fault] = text.faults()
  const { line, column } = fault ?? read
  const place = line === undefined ? {} : { line, ...(column === undefined ? {} : { column }) }
  tell(
    { source: text.name, ...place },
    `the example is no YAML: ${fault?.message ?? read.message}`,
    fault?.hint ?? 'Correct what stands there.',
  )
  return undefined
}

function lintCredentials(lent: JsonObject, asked: Requests, text: Document, tell: Tell): void {
  for (const [name, spec] of Object.entries(lent)) {
    const at = pointer('/credentials', name)
    const request = asked[name]
    if (request === undefined) {
      tell(
        text.where(at),
        `the example has credentials ${JSON.stringify(name)}, which the package does not ask for`,
        writeInstead(name, Object.keys(asked), 'a request of the package'),
      )
      continue
    }
    const values: unknown = isObject(spec) ? spec['credentials'] : undefined
    const declared = Object.keys(request.properties)
    for (const [property, value] of isObject(values) ? Object.entries(values) : []) {
      const where = text.where(pointer(`${at}/credentials`, property))
      if (typeof value !== 'string')
        tell(where, `${name}.${property} of the example must be a text`, 'Write it in quotation marks.')
      else if (declared.length > 0 && !declared.includes(property))
        tell(
          where,
          `${name} has no property ${JSON.stringify(property)}`,
          writeInstead(property, declared, 'a property of the request'),
        )
    }
  }
}
