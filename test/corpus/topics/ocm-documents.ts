/** Tables over documents of the Open Component Model: descriptors, names, references, normal forms, matchers, signatures. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deepEqual, type Json } from '../../../src/kit/json.ts'
import {
  isBetter,
  isComponentName,
  normalForm,
  normalForms,
  type Normalisation,
  parseComponentReference,
  readDescriptor,
  tagOfVersion,
  verifySignature,
  versionOfTag,
} from '../../../src/languages/ocm/index.ts'
import { readDescriptorValue } from '../../../src/languages/ocm/read-descriptor.ts'
import type { Verdict } from '../topic.ts'

export type Judge = (file: string) => AsyncIterable<Verdict> | Iterable<Verdict>

export const documentTables: Readonly<Record<string, Judge>> = {
  'descriptors/component-names.json': componentNames,
  'descriptors/schema-cases.json': schemaCases,
  'descriptors/validation.json': validation,
  'refs/component-refs.json': references,
  'refs/version-tag.json': tags,
  'normalisation/vectors.json': normalForms_,
  'credentials/hostpath-matcher.json': matcher,
  'signatures/compat/expected.json': oldSignature,
}

export function verdict(name: string, found: unknown, wanted: unknown): Verdict {
  if (deepEqual(found, wanted)) return { name, outcome: 'passed' }
  return { name, outcome: 'failed', why: `found  ${JSON.stringify(found)}\nwanted ${JSON.stringify(wanted)}` }
}

export function json<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T
}

function* componentNames(file: string): Iterable<Verdict> {
  const { valid, invalid } = json<{ valid: string[]; invalid: string[] }>(file)
  for (const name of valid) yield verdict(`component name ${name}`, isComponentName(name), true)
  for (const name of invalid) yield verdict(`component name ${name}`, isComponentName(name), false)
}

interface SchemaCase {
  readonly id: string
  readonly descriptor: Json
  readonly schemaNew?: boolean
  readonly valid?: boolean
}

/** Duplicates and forbidden keys are beyond what a schema says. */
function* schemaCases(file: string): Iterable<Verdict> {
  const { v2, v3 } = json<{ v2: SchemaCase[]; v3: SchemaCase[] }>(file)
  for (const { id, descriptor, schemaNew, valid } of [...v2, ...v3]) {
    const reading = readDescriptorValue(descriptor)
    const faults = reading.kind === 'refused' ? reading.faults : []
    const broken = faults.some(({ kind }) => kind !== 'duplicate' && kind !== 'forbidden')
    yield verdict(`descriptor ${id}`, !broken, schemaNew ?? valid)
  }
}

interface ValidationCase {
  readonly id: string
  readonly descriptor?: Json
  readonly component?: Json
  readonly identity?: Json
  readonly mustReport?: readonly (readonly [string, string])[]
  readonly mustNotReport?: readonly (readonly [string, string])[]
}

function* validation(file: string): Iterable<Verdict> {
  for (const { id, descriptor, component, identity, mustReport = [], mustNotReport = [] } of json<{ cases: ValidationCase[] }>(file).cases) {
    const value = descriptor ?? { meta: { schemaVersion: 'v2' }, component: component ?? withIdentity(identity ?? {}) }
    const reading = readDescriptorValue(value)
    const all = reading.kind === 'refused' ? reading.faults : []
    const found = all.map(({ kind, path }) => `${kind} ${path.replace(/^.*\.extraIdentity\[/, 'identity[')}`)
    const missed = mustReport.map((one) => one.join(' ')).filter((one) => !found.includes(one))
    const extra = mustNotReport.flatMap(([kind, path]) => (kind === '*' ? found : found.filter((one) => one === `${kind} ${path}`)))
    yield verdict(`validation ${id}`, { missed, extra }, { missed: [], extra: [] })
  }
}

function withIdentity(extraIdentity: Json): Json {
  const reference = { name: 'test', version: '1.0.0', componentName: 'acme.org/other', extraIdentity }
  const lists = { repositoryContexts: [], sources: [], resources: [], componentReferences: [reference] }
  return { name: 'acme.org/test', version: '1.0.0', provider: 'acme', ...lists }
}

function* references(file: string): Iterable<Verdict> {
  for (const { ref, expect } of json<{ cases: { ref: string; expect: Json }[] }>(file).cases) {
    const found = parseComponentReference(ref)
    yield verdict(`reference ${ref}`, found && { ...found, version: found.version ?? null }, expect)
  }
}

function* tags(file: string): Iterable<Verdict> {
  for (const { version, tag } of json<{ cases: { version: string; tag: string }[] }>(file).cases)
    yield verdict(`tag of ${version}`, [tagOfVersion(version), versionOfTag(tag)], [tag, version])
}

interface Vector {
  readonly id: string
  readonly descriptor: string
  readonly algorithm: Normalisation
  readonly normalised: string
}

function* normalForms_(file: string): Iterable<Verdict> {
  for (const { id, descriptor, algorithm, normalised } of json<{ vectors: Vector[] }>(file).vectors) {
    const reading = readDescriptor(readFileSync(join(dirname(file), descriptor), 'utf8'))
    if (reading.kind === 'refused') yield verdict(id, reading.faults, [])
    else {
      yield verdict(id, normalForm(reading.value, algorithm), normalised)
      // The newest form says the same as the one before.
      if (algorithm === 'jsonNormalisation/v3')
        yield verdict(`${id} as v4alpha1`, normalForm(reading.value, 'jsonNormalisation/v4alpha1'), normalised)
    }
  }
}

interface MatcherCase {
  readonly id: string
  readonly request: Readonly<Record<string, string>>
  readonly current: Readonly<Record<string, string>> | null
  readonly candidate: Readonly<Record<string, string>>
  readonly betterThanCurrent: boolean
}

function* matcher(file: string): Iterable<Verdict> {
  for (const { id, request, current, candidate, betterThanCurrent } of json<{ cases: MatcherCase[] }>(file).cases)
    yield verdict(`matcher ${id}`, isBetter(request, { current: current ?? undefined, candidate, matcher: 'hostpath' }), betterThanCurrent)
}

interface OldSignature {
  readonly archive: string
  readonly publicKey: string
  readonly expect: {
    readonly storedDigest: string
    readonly normalisedWithoutNullExtraIdentity: { readonly text: string }
    readonly normalisedAsTodaysLibrary: { readonly text: string }
  }
}

function* oldSignature(file: string): Iterable<Verdict> {
  const { archive, publicKey, expect } = json<OldSignature>(file)
  const reading = readDescriptor(readFileSync(join(dirname(file), archive, 'component-descriptor.yaml'), 'utf8'))
  if (reading.kind === 'refused') return yield verdict('old signature', reading.faults, [])
  const [signature] = reading.value.signatures
  yield verdict('both forms of v1', normalForms(reading.value, 'jsonNormalisation/v1'), [
    expect.normalisedAsTodaysLibrary.text,
    expect.normalisedWithoutNullExtraIdentity.text,
  ])
  const key = readFileSync(join(dirname(file), publicKey), 'utf8')
  const judged = signature && verifySignature(reading.value, signature, { key, roots: [], now: 0 })
  yield verdict('old signature', judged, { kind: 'valid', by: 'key' })
}
