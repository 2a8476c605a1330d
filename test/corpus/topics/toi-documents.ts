/** Tables over documents of TOI: layering of templates, credentials, selection of packages and executors. */
import { isObject, type Json, type JsonObject } from '../../../src/kit/json.ts'
import { chooseEntry, patternOf, selectPackage } from '../../../src/contracts/toi/choose.ts'
import { lentBy, resolve } from '../../../src/contracts/toi/credentials.ts'
import { readPackage } from '../../../src/contracts/toi/format.ts'
import { layered } from '../../../src/contracts/toi/layers.ts'
import { ocmConfig } from '../../../src/contracts/toi/ocmconfig.ts'
import { mapped } from '../../../src/contracts/toi/parameters.ts'
import { wantedCredentials } from '../../../src/contracts/toi/requests.ts'
import type { Surroundings } from '../../../src/contracts/toi/spiff.ts'
import type { ComponentResource } from '../../../src/model/artifact.ts'
import type { Verdict } from '../topic.ts'
import { type Judge, json, verdict } from './ocm-documents.ts'

export const toiTables: Readonly<Record<string, Judge>> = {
  'layering/cases.json': layering,
  'credentials/mapping-cases.json': mappings,
  'credentials/ocmconfig-vector.json': vector,
  'cases/selection.json': selection,
  'cases/action.json': actions,
}

const around: Surroundings = { random: (count) => new Uint8Array(count), now: 0 }

interface LayeringCase {
  readonly id: string
  readonly package?: JsonObject
  readonly executor?: JsonObject
  readonly executorEntry?: JsonObject
  readonly libraries?: Readonly<Record<string, string>>
  readonly parameters?: string
  readonly credentials?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly expect: { readonly error?: string; readonly exact?: boolean; readonly config?: Json; readonly packageParameters?: Json; readonly parameters?: Json }
}

/** Where the original fails and the dossier wants what is absent to be an empty map. */
const ruled: Readonly<Record<string, LayeringCase['expect']>> = {
  'empty-input-scheme-object-template': { config: null, packageParameters: { a: 1 }, parameters: { a: 1 } },
  'empty-file-scheme-template': { config: null, packageParameters: { a: 1 }, parameters: { a: 1 } },
}

function* layering(file: string): Iterable<Verdict> {
  for (const one of json<{ cases: LayeringCase[] }>(file).cases) {
    const found = layer(one)
    const { expect } = one
    const name = `layering ${one.id}`
    if (one.id in ruled) yield verdict(name, found.error, undefined)
    else if (expect.error === undefined)
      yield verdict(name, found, { config: expect.config ?? null, packageParameters: expect.packageParameters ?? null, parameters: expect.parameters ?? null })
    else if (expect.exact) yield verdict(name, found.error?.split('; ').includes(expect.error) ? expect.error : (found.error ?? found), expect.error)
    else yield verdict(name, typeof found.error, 'string')
  }
}

interface Found {
  readonly error?: string
  readonly config?: Json
  readonly packageParameters?: Json
  readonly parameters?: Json
}

function layer({ package: pkg = {}, executor = {}, executorEntry: entry = {}, libraries = {}, parameters, credentials = {} }: LayeringCase): Found {
  const shape = (document: JsonObject) => {
    const { scheme, template, libraries: named } = readPackage(Buffer.from(JSON.stringify({ ...document })), 'case').value
    return {
      ...(scheme === undefined ? {} : { scheme }),
      ...(template === undefined ? {} : { template }),
      libraries: named.map(({ resource }) => ({ name: resource['name'] ?? '', text: libraries[resource['name'] ?? ''] ?? '' })),
    }
  }
  const config = entry['config']
  const configured = layered('executor config', shape(executor), config === undefined ? undefined : { name: 'config', text: JSON.stringify(config) }, around)
  if (configured.kind === 'failed') return { error: configured.message }
  const own = layered('parameter data', shape(pkg), parameters === undefined ? undefined : { name: 'parameters', text: parameters }, around)
  if (own.kind === 'failed') return { error: own.message }
  const mapping = entry['parameterMapping']
  const done = mapped(mapping === undefined ? undefined : { value: mapping }, own, { ...around, credentials })
  if (done.kind === 'failed') return { error: done.message }
  const value = (one: typeof own): Json => (one.kind === 'document' ? one.value : null)
  return { config: value(configured), packageParameters: value(own), parameters: value(done) }
}

interface Outcome {
  readonly error?: string
  readonly visibleToExecutor?: Json
  readonly ocmconfig?: Json
}
interface MappingCase {
  readonly id: string
  readonly package?: JsonObject
  readonly executor?: JsonObject
  readonly mapping?: Readonly<Record<string, string>>
  readonly credentialsFile?: JsonObject
  readonly consumers?: readonly Json[]
  readonly reference: Outcome
  readonly recommended: Outcome | 'same as reference'
}

function* mappings(file: string): Iterable<Verdict> {
  for (const one of json<{ cases: MappingCase[] }>(file).cases) {
    const expected = one.recommended === 'same as reference' ? one.reference : one.recommended
    const found = credentialsOf(one)
    const name = `credentials ${one.id}`
    if (expected.error === undefined) yield verdict(name, found, { visibleToExecutor: expected.visibleToExecutor ?? {}, ocmconfig: expected.ocmconfig ?? {} })
    else yield verdict(name, found.error?.includes(lastWords(expected.error)) ?? found, true)
  }
}

/** The same in our words: which consumer is not found stands between. */
function lastWords(error: string): string {
  return error === 'consumer not found' ? 'not found' : error
}

function requestsOf(credentials: JsonObject = {}) {
  return readPackage(Buffer.from(JSON.stringify({ credentials })), 'case').value.credentials
}

function credentialsOf({ package: asked, executor, mapping, credentialsFile, consumers }: Omit<MappingCase, 'id' | 'reference' | 'recommended'>, memory: readonly Json[] = []): Outcome {
  const { wanted, problems } = wantedCredentials(requestsOf(asked), requestsOf(executor), mapping)
  const config = {
    type: 'generic.config.ocm.software',
    configurations: [
      { type: 'credentials.config.ocm.software', consumers: (consumers ?? []).map((one) => configured(one)) },
      ...memory,
    ],
  }
  const infrastructure = {
    ...(credentialsFile === undefined ? {} : { TOICredentials: JSON.stringify(credentialsFile) }),
    '.ocmconfig': JSON.stringify(config),
  }
  const { lent, problems: faults } = lentBy(infrastructure, around)
  const { resolved, problems: missing } = resolve(wanted, lent, undefined)
  const [first] = [...problems, ...faults, ...missing]
  if (first !== undefined) return { error: first.detail ?? first.code }
  return { visibleToExecutor: resolved.sets, ocmconfig: ocmConfig(resolved) }
}

function configured(consumer: Json): Json {
  const { identity, properties } = isObject(consumer) ? (consumer as JsonObject) : {}
  return { identity: identity ?? {}, credentials: [{ type: 'Credentials', properties: properties ?? {} }] }
}

interface Vector {
  readonly operatorConsumers: readonly Json[]
  readonly operatorMemory: { readonly repoName: string; readonly credentials: JsonObject }
  readonly request: { readonly credentials: JsonObject }
  readonly credentialsFile: JsonObject
  readonly expectOcmconfig: Json
}

function* vector(file: string): Iterable<Verdict> {
  const { operatorConsumers, operatorMemory, request, credentialsFile, expectOcmconfig } = json<Vector>(file)
  const memory = {
    type: 'memory.credentials.config.ocm.software',
    repoName: operatorMemory.repoName,
    credentials: Object.entries(operatorMemory.credentials).map(([credentialsName, credentials]) => ({ credentialsName, credentials })),
  }
  const found = credentialsOf({ package: request.credentials, credentialsFile, consumers: operatorConsumers }, [memory])
  yield verdict('ocmconfig vector', found.ocmconfig, expectOcmconfig)
}

interface Selection {
  readonly identityArguments: readonly { readonly args: readonly string[]; readonly pattern?: Json; readonly error?: string }[]
  readonly resources: readonly (Omit<ComponentResource, 'identity' | 'extraIdentity'> & { readonly extraIdentity?: Readonly<Record<string, string>> })[]
  readonly packageSelection: readonly { readonly pattern: Readonly<Record<string, string>>; readonly index?: number }[]
  readonly executorSelection: readonly { readonly executors: readonly JsonObject[]; readonly action: string; readonly documented?: number; readonly reference?: number }[]
}

function* selection(file: string): Iterable<Verdict> {
  const { identityArguments, resources, packageSelection, executorSelection } = json<Selection>(file)
  for (const { args, pattern, error } of identityArguments) {
    const found = patternOf(args)
    yield verdict(`arguments ${args.join(' ')}`, typeof found === 'string' ? found.includes(error ?? '?') : found, error === undefined ? pattern : true)
  }
  const all = resources.map((one) => ({ extraIdentity: {}, ...one, identity: {} }))
  for (const { pattern, index } of packageSelection) {
    const found = selectPackage(all, pattern)
    yield verdict(`package ${JSON.stringify(pattern)}`, found === undefined ? null : all.indexOf(found), index ?? null)
  }
  for (const { executors, action, documented, reference } of executorSelection) {
    const entries = readPackage(Buffer.from(JSON.stringify({ executors })), 'case').value.executors
    const title = `executor for ${action} of ${JSON.stringify(executors)}`
    const at = (order: 'first' | 'last'): number | null => {
      const found = chooseEntry(entries, action, order)
      return found === undefined ? null : entries.indexOf(found)
    }
    yield verdict(title, at('first'), documented ?? null)
    yield verdict(`${title}, as the original`, at('last'), reference ?? null)
  }
}

interface Actions {
  readonly common: { readonly operatorConsumers: readonly Json[]; readonly package: { readonly credentials: JsonObject }; readonly credentialsFile: JsonObject; readonly parameters: string }
  readonly cases: readonly { readonly id: string; readonly parameterMapping: Json; readonly expectParametersFile: string }[]
}

function* actions(file: string): Iterable<Verdict> {
  const { common, cases } = json<Actions>(file)
  const found = credentialsOf({ package: common.package.credentials, credentialsFile: common.credentialsFile, consumers: common.operatorConsumers })
  for (const { id, parameterMapping, expectParametersFile } of cases) {
    const own = layered('parameter data', { libraries: [] }, { name: 'parameters', text: common.parameters }, around)
    const credentials = (found.visibleToExecutor ?? {}) as Readonly<Record<string, Readonly<Record<string, string>>>>
    const done = own.kind === 'failed' ? own : mapped({ value: parameterMapping }, own, { ...around, credentials })
    yield verdict(`action ${id}`, done.kind === 'document' ? done.text : done, expectParametersFile)
  }
}

