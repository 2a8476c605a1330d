/** Templates of packages: processed without any way to the host, within strict limits. */

import type { Json } from '../../kit/json.ts'
import { patiently } from '../../kit/patience.ts'
import { present } from '../../kit/present.ts'
import {
  type Cell,
  explain,
  failure,
  processSpiff,
  readSpiff,
  type SpiffFunction,
  toValue,
  type Value,
} from '../../languages/spiff/index.ts'

/** A document as its text, under the name that messages use. */
export interface Text {
  readonly name: string
  readonly text: string
}

export type Processed =
  | {
      readonly kind: 'done'
      readonly text: string
      readonly value: Json
      readonly origins: readonly ValueOrigin[]
    }
  | { readonly kind: 'failed'; readonly message: string; readonly line?: number; readonly column?: number }

/** Credentials as the executor sees them. */
export type CredentialSets = Readonly<Record<string, Readonly<Record<string, string>>>>

export interface Surroundings {
  /** Tells where values came from. */
  readonly trace?: boolean
  /** Only the mapping of parameters sees them. */
  readonly credentials?: CredentialSets
  readonly random: (count: number) => Uint8Array
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Processes a template with stubs; the last stub is the strongest. */
export function process(
  template: Text,
  stubs: readonly Text[],
  { credentials, random, now, trace = false }: Surroundings,
): Processed {
  const result = processSpiff(template, stubs, {
    control: true,
    interpolation: true,
    trace,
    ports: { random, now: () => now, within: (milliseconds, run) => patiently(run, milliseconds) },
    ...(credentials === undefined ? {} : { functions: credentialFunctions(credentials) }),
  })
  if (result.kind === 'failed') return { kind: 'failed', message: result.fault.message }
  const [document] = result.documents
  return {
    kind: 'done',
    text: document?.yaml() ?? 'null\n',
    value: JSON.parse(document?.json() ?? 'null') as Json,
    origins: trace && document !== undefined ? originsOf(document.cell) : [],
  }
}

/** Where one value of a result came from. */
export interface ValueOrigin {
  readonly path: string
  readonly from: string
}

const originsMax = 200

/** The sources of all values that are neither maps nor lists. */
function originsOf(cell: Cell): readonly ValueOrigin[] {
  const found: ValueOrigin[] = []
  const visit = (path: readonly string[]): void => {
    const explained = explain(cell, path)
    for (const { step, from } of explained?.entries ?? []) {
      if (found.length >= originsMax) return
      const inner = [...path, step]
      const below = explain(cell, inner)?.entries ?? []
      if (below.length > 0) visit(inner)
      else found.push({ path: inner.join('.'), from: `${from.source} ${from.path}`.trim() })
    }
  }
  visit([])
  return found
}

/** Reads a document of a package as the original does: words like "on" are booleans. */
export function readDocument(source: Text): Processed {
  const result = readSpiff(source)
  if (result.kind === 'failed') {
    const { message, line, column } = result.fault
    return { kind: 'failed', message, ...present({ line, column }) }
  }
  const [document] = result.documents
  return {
    kind: 'done',
    text: source.text,
    value: JSON.parse(document?.json() ?? 'null') as Json,
    origins: [],
  }
}

/** A value as the text of a document. */
export function textOf(name: string, value: Json): Text {
  return { name, text: JSON.stringify(value) }
}

function credentialFunctions(sets: CredentialSets): ReadonlyMap<string, SpiffFunction> {
  return new Map<string, SpiffFunction>([
    ['getCredentials', ({ args }) => getCredentials(sets, args)],
    ['hasCredentials', ({ args }) => hasCredentials(sets, args)],
  ])
}

function getCredentials(sets: CredentialSets, args: readonly Value[]): Value {
  const { name, property } = argumentsOf(args)
  const set = setOf(sets, name)
  if (set === undefined) return failure(`credential ${JSON.stringify(name)} not found`)
  if (property === undefined) return toValue(set)
  if (property !== '' && property !== '*')
    return Object.hasOwn(set, property)
      ? toValue(set[property])
      : failure(`there is no credential property ${JSON.stringify(property)}`)
  const [only, second] = Object.values(set)
  return second === undefined ? toValue(only) : failure('there are multiple credential properties')
}

function hasCredentials(sets: CredentialSets, args: readonly Value[]): Value {
  const { name, property } = argumentsOf(args)
  const set = setOf(sets, name)
  if (set === undefined || property === undefined) return set !== undefined
  return property === '' || property === '*' ? Object.keys(set).length === 1 : Object.hasOwn(set, property)
}

/** An empty set is none. */
function setOf(sets: CredentialSets, name: string): Readonly<Record<string, string>> | undefined {
  const set = Object.hasOwn(sets, name) ? sets[name] : undefined
  return set === undefined || Object.keys(set).length === 0 ? undefined : set
}

function argumentsOf(args: readonly Value[]): {
  readonly name: string
  readonly property: string | undefined
} {
  const [name, property, ...more] = args
  if (name === undefined || more.length > 0)
    return failure('credential name and optional property name argument required')
  if (typeof name !== 'string') return failure('credential name argument must be string')
  if (property !== undefined && typeof property !== 'string')
    return failure('credential property argument must be string')
  return { name, property }
}
