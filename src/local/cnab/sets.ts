/** Credential and parameter sets of this machine: kept, and resolved at the last moment. */
import { existsSync, readFileSync } from 'node:fs'
import { type Explanation, readValueSet, type SourceKind, type ValueSet } from '../../contracts/cnab/index.ts'
import type { Json, JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { readYaml, toldFault } from '../../kit/yaml.ts'
import { fail, failAll, type Problem, toProblem } from '../../model/problem.ts'
import type { CnabContext } from './context.ts'
import { fileOfSource, resolveSource, type Surroundings } from './value-sources.ts'

export type SetKind = 'credentials' | 'parameters'

/** Reads a document of YAML or JSON. Problems: file.unreadable, the code given for what is no document. */
export function readDocument(file: string, code: Problem['code'] = 'cnab.set.invalid'): Json {
  if (!existsSync(file)) return fail('file.unreadable', file)
  const { value, faults } = readYaml(readFileSync(file, 'utf8'))
  failAll(faults.map((fault) => ({ code, ...toldFault(fault, file) })))
  return value ?? null
}

/** Reads a set. Problems: cnab.set.invalid, all at once. */
export function readSet(document: Json, kind: SetKind, source?: string): ValueSet {
  const reading = readValueSet(document, kind)
  if (reading.kind === 'set') return reading.set
  const [first, ...rest] = reading.problems.map((one) => ({
    ...one,
    where: { ...present({ source }), ...one.where },
  }))
  failAll([first ?? reading.problems[0], ...rest])
}

interface Asked {
  readonly name: string
  readonly namespace: string
  readonly bundle: Pick<Explanation, 'credentials' | 'parameters'>
}

/** A set that names what a bundle asks for: optional parameters keep their defaults, injected ones come from outputs. */
export function startingSet(kind: SetKind, { name, namespace, bundle }: Asked): JsonObject {
  const parameters = bundle.parameters.filter((one) => one.required && !one.injected)
  const wanted = kind === 'credentials' ? bundle.credentials : parameters
  return {
    schemaType: kind === 'credentials' ? 'CredentialSet' : 'ParameterSet',
    schemaVersion: '1.0.1',
    name,
    ...(namespace === '' ? {} : { namespace }),
    [kind]: wanted.map((one) => ({
      name: one.name,
      source: { env: one.name.replaceAll(/[^A-Za-z0-9]/g, '_').toUpperCase() },
    })),
  }
}

/** Keeps the set of a file. Answers it. */
export function applySet(room: CnabContext, kind: SetKind, file: string): ValueSet {
  const document = readDocument(file)
  const set = readSet(document, kind, file)
  storedSetsOf(room, kind).keep(keyOf(set.namespace, set.name), {
    name: set.name,
    modified: new Date().toISOString(),
    document,
  })
  return set
}

export function storedSetsOf(room: CnabContext, kind: SetKind): CnabContext['credentialSets'] {
  return kind === 'credentials' ? room.credentialSets : room.parameterSets
}

/** Under which a set is kept: its name, below its namespace where it has one. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

/** A set by its name, first of the namespace and then of all; or by its file. Problems: cnab.set.unknown. */
export function findSet(
  room: CnabContext,
  kind: SetKind,
  named: { name: string; namespace: string },
): ValueSet {
  const { name, namespace } = named
  const documents = storedSetsOf(room, kind)
  const kept = documents.find(keyOf(namespace, name)) ?? documents.find(name)
  if (kept) return readSet(kept.document, kind, name)
  if (/\.(?:ya?ml|json)$/.test(name) && existsSync(name)) return readSet(readDocument(name), kind, name)
  return fail('cnab.set.unknown', `${kind === 'credentials' ? 'credential' : 'parameter'} set ${name}`)
}

export interface ResolvedSets {
  readonly values: JsonObject
  /** By value, the set that said it last. */
  readonly from: Readonly<Record<string, string>>
  /** By value, the bytes of the file that it was read from. */
  readonly files: Readonly<Record<string, Uint8Array>>
}

/** The values of several sets, the later ones over the earlier. Problems: cnab.source.unresolved, all at once. */
export async function resolveSets(sets: readonly ValueSet[], at: Surroundings): Promise<ResolvedSets> {
  const values: Record<string, Json> = {}
  const from: Record<string, string> = {}
  const files: Record<string, Uint8Array> = {}
  const problems: Problem[] = []
  for (const set of sets) {
    for (const { name, source } of set.entries) {
      const kind: SourceKind | 'nothing' = source?.kind ?? 'nothing'
      try {
        if (source === undefined) fail('cnab.source.unresolved', 'the set does not say where it is')
        const file = source.kind === 'path' ? fileOfSource(String(source.value), at) : undefined
        values[name] = file?.toString() ?? (await resolveSource(source.kind, source.value, at))
        from[name] = set.name
        if (file === undefined) delete files[name]
        else files[name] = file
      } catch (error) {
        const problem = toProblem(error)
        const detail = `unable to resolve ${set.name}.${name} from ${kind}: ${problem.detail ?? ''}`
        problems.push({ ...problem, detail })
      }
    }
  }
  failAll(problems)
  return { values, from, files }
}

/** What this machine offers to sources. */
export function surroundingsOf({ secrets }: CnabContext): Surroundings {
  return {
    environment: process.env,
    folder: process.cwd(),
    secret: (name) => secrets.find(name),
  }
}
