/** The tables of the brokerpak corpus: definitions, validation, schemas, variables, templates. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { decoder } from '../../../src/contracts/brokerpak/decode.ts'
import { type Definition, type Input, type PakAction, readDefinition, readInput } from '../../../src/contracts/brokerpak/definition.ts'
import { definitionFaults, inputFaults } from '../../../src/contracts/brokerpak/definition-faults.ts'
import { checkDraftFour } from '../../../src/contracts/brokerpak/draft-four.ts'
import { listFaults } from '../../../src/contracts/brokerpak/field-faults.ts'
import { namesOf, readHcl } from '../../../src/contracts/brokerpak/hcl.ts'
import { allowDestroy } from '../../../src/contracts/brokerpak/hcl-rewrite.ts'
import { defaultLabels } from '../../../src/contracts/brokerpak/labels.ts'
import { defaultEngine, isProvider, providerAddress, readManifest, unknownFields } from '../../../src/contracts/brokerpak/manifest.ts'
import { type Dialect, manifestFaults } from '../../../src/contracts/brokerpak/manifest-faults.ts'
import { pakOptions } from '../../../src/contracts/brokerpak/options.ts'
import { packageOf } from '../../../src/contracts/brokerpak/package.ts'
import { operatorPlans, tilePlans } from '../../../src/contracts/brokerpak/plans.ts'
import { applyDefaults, describeFaults, merge, resolverOf } from '../../../src/contracts/brokerpak/resolver.ts'
import { propertyOf, schemaOf, titleOf } from '../../../src/contracts/brokerpak/schema.ts'
import { stateAttribute } from '../../../src/contracts/brokerpak/tf-attributes.ts'
import { bindingVariables, instanceVariables, parameterFaults } from '../../../src/contracts/brokerpak/variables.ts'
import { deepEqual, isObject, type Json, type JsonObject } from '../../../src/kit/json.ts'
import { readYaml } from '../../../src/kit/yaml.ts'
import { brokerFunctions } from '../../../src/languages/hil/index.ts'
import type { Verdict } from '../topic.ts'

export const shared = '../shared/corpus/brokerpak'

type Row = Readonly<Record<string, Json>>
type Check = (file: string) => Iterable<Verdict>

/** Each table with the function that checks it. */
export const tables: Readonly<Record<string, Check>> = {
  'hcl/inputs-outputs.json': names,
  'hcl/prevent-destroy.json': preventDestroy,
  'hcl/tf-attributes.json': attributes,
  'jsonschema/cases.json': schemas,
  'schema/toschema-cases.json': toSchema,
  'validation/manifest-cases.json': manifests,
  'validation/service-cases.json': services,
  'variables/builder.json': builder,
  'variables/default-labels.json': labels,
  'variables/user-defined-plans.json': plans,
  'variables/v1-provision.json': (file) => resolutions(file, 'v1'),
  'variables/v1-bind.json': (file) => resolutions(file, 'v1'),
  'variables/csb-provision-update.json': (file) => resolutions(file, 'csb'),
  'variables/csb-bind.json': (file) => resolutions(file, 'csb'),
  'variables/v1-real-definitions.json': realResolutions,
  'expected/template-io.json': templateNames,
  'expected/schemas': publishedSchemas,
  'expected/catalog': catalogs,
  definitions: realDefinitions,
}

export function verdict(name: string, wanted: unknown, got: unknown): Verdict {
  if (deepEqual(wanted, got)) return { name, outcome: 'passed' }
  const why = `want ${JSON.stringify(wanted)}\ngot  ${JSON.stringify(got)}`
  return { name, outcome: 'failed', why: why.slice(0, 3000) }
}

function load(file: string): Row {
  return JSON.parse(readFileSync(file, 'utf8')) as Row
}

function rows(file: string, key = 'cases'): readonly Row[] {
  return load(file)[key] as unknown as readonly Row[]
}

function* names(file: string): Iterable<Verdict> {
  for (const row of rows(file)) {
    const wanted = 'error' in row ? { fault: row['error'] } : { variables: row['inputs'], outputs: row['outputs'] }
    yield verdict(`hcl ${JSON.stringify(row['input'])}`, wanted, namesOf(String(row['input'])))
  }
}

function* preventDestroy(file: string): Iterable<Verdict> {
  for (const row of rows(file)) {
    const wanted = 'error' in row ? { kind: 'fault', message: row['error'] } : { kind: 'text', text: row['output'] }
    yield verdict(`prevent_destroy ${JSON.stringify(row['input'])}`, wanted, allowDestroy(String(row['input'])))
  }
}

function* attributes(file: string): Iterable<Verdict> {
  const state = stateShown(String(load(file)['show']))
  for (const row of rows(file)) {
    const path = String(row['tf_attribute'])
    const found = stateAttribute(state, path)
    const none = `cannot find required import values for fields: ${path}`
    const got = found === undefined ? none : found
    const shown = isObject(row['result']) ? shownValue(String(row['result']['v'])) : row['error']
    // The original hands on the text "null"; here a value that is not set is missing.
    const wanted = shown === null ? none : shown
    yield verdict(`tf_attribute ${row['name']}`, wanted, got)
  }
}

/** The state that a show tells of: the product reads values there, with their types, where the original reads the text. */
function stateShown(show: string): JsonObject {
  const reading = readHcl(show)
  if (reading.kind === 'fault') throw new Error(reading.message)
  const resources = reading.body.blocks.map(({ type, labels: [kind, name], body }) => {
    const attributes = body.arguments.map((one) => [one.name, shownValue(show.slice(one.start, one.end))])
    const mode = type === 'resource' ? 'managed' : 'data'
    return { mode, type: kind, name, instances: [{ attributes: Object.fromEntries(attributes) }] }
  })
  return { resources } as JsonObject
}

/** A literal of a show; maps and lists stand a member on a line there. A bare text of the original is a string. */
function shownValue(text: string): Json {
  const json = text.replaceAll(/^(\s*"[^"]*")\s+=\s/gm, '$1: ').replaceAll(/,?\n(?=\s*["[{\d])/g, ',\n').replaceAll(/([[{]),/g, '$1').replaceAll(/,(\s*[\]}])/g, '$1')
  try {
    return JSON.parse(json) as Json
  } catch {
    return text
  }
}

function* schemas(file: string): Iterable<Verdict> {
  for (const row of rows(file)) {
    for (const rules of ['csb', 'v1'] as const) {
      const wanted = (row[rules] === 'same' ? row['csb'] : row[rules]) as Row
      const checked = checkDraftFour(row['schema'] as JsonObject, row['document'] ?? null, rules)
      const got = checked.kind === 'schema-error' ? { schema_error: checked.message } : { errors: [...checked.faults].sort() }
      yield verdict(`${rules} ${JSON.stringify(row['schema'])} ${JSON.stringify(row['document'])}`, wanted, got)
    }
  }
}

function* toSchema(file: string): Iterable<Verdict> {
  for (const row of rows(file, 'to_schema')) {
    yield verdict(`schema: ${row['name']}`, row['expected'], propertyOf(input(row['variable'] as JsonObject)))
  }
  for (const row of rows(file, 'validate_variables')) {
    const inputs = ((row['variables'] ?? []) as JsonObject[]).map(input)
    for (const dialect of ['csb', 'v1'] as const) {
      const faults = parameterFaults(inputs, row['parameters'] ?? null, dialect)
      const wanted = (dialect === 'v1' ? row['v1_error'] : undefined) ?? row['error']
      const got = faults.length === 0 ? undefined : describeFaults(faults)
      const bare = String(wanted).startsWith('has a') ? got?.replace(/^1 error\(s\) occurred: /, '') : got
      yield verdict(`validate ${dialect}: ${row['name']}`, wanted, bare)
    }
  }
  for (const row of rows(file, 'validate_variable_definition')) {
    const faults = inputFaults(input(row['variable'] as JsonObject), '', 'csb')
    yield verdict(`variable ${JSON.stringify(row['variable'])}`, row['error'], faults.length === 0 ? undefined : listFaults(faults))
  }
  for (const row of rows(file, 'apply_defaults')) {
    const resolver = resolverFor('csb')
    merge(resolver, (row['parameters'] ?? {}) as JsonObject)
    const inputs = ((row['variables'] ?? []) as JsonObject[]).map(input)
    applyDefaults(resolver, inputs.map((one) => ({ ...one, overwrite: false })))
    yield verdict(`defaults ${JSON.stringify(row['variables'])}`, row['expected'] ?? {}, Object.fromEntries(resolver.values))
  }
  for (const [name, title] of Object.entries(load(file)['field_titles'] as JsonObject)) {
    yield verdict(`title of ${JSON.stringify(name)}`, title, titleOf(name))
  }
}

function input(from: JsonObject): Input {
  return readInput(decoder(), from, '')
}

function* manifests(file: string): Iterable<Verdict> {
  for (const row of rows(file)) {
    const document = row['manifest'] as JsonObject
    for (const dialect of ['v1', 'csb'] as const) {
      const wanted = row[dialect] as Row
      const got = manifestVerdict(document, dialect)
      const name = `manifest ${dialect}: ${row['name']}`
      if (wanted['ok'] === true) yield verdict(name, undefined, got)
      else if (/^(yaml|error parsing)|unmarshal/.test(String(wanted['error'])) || wanted['crash']) {
        yield verdict(name, 'refused', got === undefined ? 'accepted' : 'refused')
      } else yield verdict(name, String(wanted['error']).replace(/^error validating manifest: /, ''), got)
      if (wanted['default_version'] !== undefined) {
        yield verdict(`${name}, engine and providers`, [wanted['default_version'], wanted['providers'] ?? []], enginesShown(document))
      }
    }
  }
}

function manifestVerdict(document: JsonObject, dialect: Dialect): string | undefined {
  const decode = decoder()
  const manifest = readManifest(decode, document)
  const csbOnly = /^(terraform_state_provider|terraform_upgrade|required_env|env_config|terraform_binaries\[\d+\]\.(default|provider))/
  const [wrong] = decode.faults.filter(({ path }) => dialect !== 'v1' || !csbOnly.test(path))
  if (wrong) return `${wrong.path}: ${wrong.message}`
  const [unknown] = dialect === 'csb' ? unknownFields(document) : []
  if (unknown) return `field ${unknown} not found`
  return listFaults(manifestFaults(manifest, dialect)) || undefined
}

function enginesShown(document: JsonObject): unknown {
  const manifest = readManifest(decoder(), document)
  const providers = manifest.binaries.filter(isProvider)
  return [
    manifest.binaries.some(({ name }) => name === 'tofu') ? defaultEngine(manifest)?.version : '',
    providers.map((one) => `${one.name} ${one.version} ${providerAddress(one)}`),
  ]
}

function* services(file: string): Iterable<Verdict> {
  for (const row of rows(file)) {
    for (const dialect of ['v1', 'csb'] as const) {
      const wanted = row[dialect] as Row
      const name = `service ${dialect}: ${row['name']}`
      const decode = decoder()
      const definition = readDefinition(decode, row['service'] as JsonObject)
      const lost = decode.faults.length > 0 || (dialect === 'v1' && quotedFlag(row['service'] as JsonObject))
      const faults = definitionFaults(definition, dialect)
      const got = lost ? 'unmarshal' : listFaults(faults) || undefined
      if (wanted['ok'] === true) yield verdict(name, undefined, got)
      else if (wanted['stage'] === 'register') yield verdict(name, false, /^[a-zA-Z0-9-.]+$/.test(definition.name))
      else if (wanted['stage'] === 'yaml') yield verdict(name, true, got !== undefined)
      else yield verdict(name, wanted['error'], got)
    }
  }
}

/** yaml.v2 takes no quoted text for a boolean. */
function quotedFlag(service: JsonObject): boolean {
  return ((service['plans'] ?? []) as Row[]).some((plan) => typeof plan['free'] === 'string')
}

function resolverFor(dialect: 'v1' | 'csb', constants: JsonObject = {}) {
  let count = 0n
  const functions = brokerFunctions({
    nextCount: () => ++count,
    nanoseconds: () => 1_700_000_000_000_000_000n,
    random: (bytes) => new Uint8Array(bytes),
  })
  const casts = dialect === 'v1' ? ('gcp' as const) : ('csb' as const)
  return resolverOf({ constants, functions, kept: {}, dialect: 'original', casts })
}

function* builder(file: string): Iterable<Verdict> {
  for (const row of rows(file)) {
    const got = built(row['steps'] as unknown as readonly (readonly [string, Json])[])
    const name = `builder: ${row['name']}`
    if ('error_contains' in row) {
      yield verdict(name, true, 'error' in got && String(got['error']).includes(String(row['error_contains'])))
    } else yield verdict(name, { values: row['expected'] }, got)
  }
  const example = load(file)['full_error_example'] as Row
  const got = built(example['steps'] as unknown as readonly (readonly [string, Json])[])
  yield verdict('builder: the whole error', { error: example['error_csb'] ?? null }, got)
}

function built(steps: readonly (readonly [string, Json])[]): JsonObject {
  const constants = Object.assign({}, ...steps.filter(([kind]) => kind === 'constants').map(([, value]) => value)) as JsonObject
  const resolver = resolverFor('csb', constants)
  for (const [kind, value] of steps) {
    if (kind === 'map') merge(resolver, value as JsonObject)
    if (kind === 'defaults') {
      applyDefaults(
        resolver,
        (value as unknown as JsonObject[]).map((one) => ({
          name: String(one['name']),
          default: one['default'] ?? null,
          overwrite: one['overwrite'] === true,
          type: String(one['type'] ?? ''),
        })),
      )
    }
    if (kind === 'eval') {
      const [name, text, type] = value as readonly string[]
      applyDefaults(resolver, [{ name: name!, default: text!, type: type!, overwrite: true }])
    }
    if (kind === 'json' && value !== '') {
      const parsed = applyJson(String(value))
      if (typeof parsed === 'string') resolver.faults.push(parsed)
      else merge(resolver, parsed)
    }
  }
  return resolver.faults.length > 0
    ? { error: describeFaults(resolver.faults) }
    : { values: Object.fromEntries(resolver.values) }
}

/** JSON of a request, read with the words of the originals through the cast of a text to an object. */
function applyJson(value: string): JsonObject | string {
  const resolver = resolverFor('csb')
  applyDefaults(resolver, [{ name: 'v', default: value.replaceAll('$', '$$$$'), type: 'object', overwrite: true }])
  return resolver.faults[0] ?? (resolver.values.get('v') as JsonObject)
}

function* labels(file: string): Iterable<Verdict> {
  for (const row of rows(file)) {
    const details = row['details'] as Row
    const context = { ...details, ...(details['context'] as JsonObject | undefined) }
    yield verdict(`labels ${JSON.stringify(row['details'])}`, row['expected'], defaultLabels(String(row['instance_id']), context))
  }
}

function* plans(file: string): Iterable<Verdict> {
  const about = load(file)
  const definition = readDefinition(decoder(), {
    name: about['service_name'] ?? '',
    provision: { plan_inputs: [{ field_name: about['required_plan_property'] ?? '', required: true, details: 'd' }] },
  })
  for (const row of rows(file)) {
    const text = (row['value'] ?? row['tile_value'] ?? 'null') as string
    const value = JSON.parse(text) as Json
    const got = operatorPlans(definition, 'tile_value' in row ? tilePlans(value) : value)
    const name = `plans: ${row['name']}`
    if ('error' in row) yield verdict(name, true, got.faults.some((fault) => fault.includes(row['error'] === true ? 'must' : String(row['error']))))
    else yield verdict(name, row['plan_ids'], got.plans.map(({ id }) => id))
  }
}

function* resolutions(file: string, dialect: 'v1' | 'csb'): Iterable<Verdict> {
  const service = load(file)['service'] as JsonObject
  for (const row of rows(file)) {
    const name = `${dialect} ${row['operation']}: ${row['name']}`
    const isBind = row['operation'] === 'bind'
    const action = { user_inputs: service['user_inputs'] ?? [], computed_inputs: service['computed_inputs'] ?? [] }
    const definition = readDefinition(decoder(), isBind ? { bind: action } : { provision: action })
    const given = [objectOf(row['global_defaults']), objectOf(row['operator_defaults'])]
    if (given.includes(undefined)) {
      yield verdict(name, true, String(row['error']).includes('failed unmarshaling'))
      continue
    }
    const properties = (row['plan_properties'] ?? service['plan_properties'] ?? {}) as JsonObject
    const more = { 'request.context': row['context'] ?? {}, 'request.x_broker_api_originating_identity': row['originating_identity'] ?? {} }
    const resolved = (isBind ? bindingVariables : instanceVariables)({
      definition,
      plan: {
        properties,
        provisionOverrides: (row['provision_overrides'] ?? {}) as JsonObject,
        bindOverrides: (row['bind_overrides'] ?? {}) as JsonObject,
      },
      parameters: objectOf(row['params']) ?? {},
      globalDefaults: given[0] ?? {},
      defaults: given[1] ?? {},
      constants: { 'instance.details': row['instance_details'] ?? {}, 'request.plan_properties': properties, ...(dialect === 'csb' ? more : {}) },
      id: 'tf',
      functions: resolverFor(dialect).functions,
      dialect,
      kept: {},
    })
    if (resolved.kind === 'refused') yield verdict(name, row['error'], resolved.message)
    else {
      const { tf_id: _, ...variables } = resolved.variables
      yield verdict(name, row['expected'], variables)
    }
  }
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  if (value === undefined || value === null || value === '') return {}
  if (isObject(value)) return value as JsonObject
  try {
    return JSON.parse(String(value)) as JsonObject
  } catch {
    return undefined
  }
}

function* realResolutions(file: string): Iterable<Verdict> {
  for (const row of rows(file)) {
    const root = dirname(dirname(file))
    const definition = definitionAt(join(root, String(row['definition'])))
    const request = row['request'] as Row
    const plan = (request['plan'] ?? {}) as Row
    const isBind = request['operation'] === 'bind' || 'binding_id' in request || 'instance_details' in request
    const instance = String(request['instance_id'] ?? '11111111-2222-3333-4444-555555555555')
    const wanted = row['result'] as Row
    const parameters = request['params'] ? applyJson(String(request['params'])) : {}
    if (typeof parameters === 'string') {
      yield verdict(`real: ${row['name']}`, wanted['error'], describeFaults([parameters]))
      continue
    }
    const properties = (plan['properties'] ?? {}) as JsonObject
    const context = { organization_guid: request['org'] ?? 'o', space_guid: request['space'] ?? 's', ...objectOf(request['context']) }
    const binding = String(request['binding_id'] ?? 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee')
    const resolved = (isBind ? bindingVariables : instanceVariables)({
      definition,
      plan: { properties, provisionOverrides: {}, bindOverrides: {}, ...overridesOf(plan) },
      parameters,
      globalDefaults: {},
      defaults: objectOf(request['defaults']) ?? {},
      constants: {
        'request.instance_id': instance,
        'request.binding_id': binding,
        'request.plan_id': String(plan['id'] ?? ''),
        'request.service_id': definition.id,
        'request.app_guid': String(request['app_guid'] ?? ''),
        'request.default_labels': defaultLabels(instance, context),
        'request.plan_properties': properties,
        'instance.name': '',
        'instance.details': (request['instance_details'] ?? {}) as Json,
      },
      id: isBind ? `tf:${instance}:${binding}` : `tf:${instance}:`,
      functions: resolverFor('v1').functions,
      dialect: 'v1',
      kept: {},
    })
    const name = `real: ${row['name']}`
    if (resolved.kind === 'refused') yield verdict(name, wanted['error'], resolved.message)
    else yield verdict(name, 'context' in wanted ? 'same' : wanted, matches(wanted['context'] ?? null, resolved.variables))
  }
}

function overridesOf(plan: Row) {
  return {
    ...(plan['provision_overrides'] ? { provisionOverrides: plan['provision_overrides'] as JsonObject } : {}),
    ...(plan['bind_overrides'] ? { bindOverrides: plan['bind_overrides'] as JsonObject } : {}),
  }
}

function matches(wanted: Json, got: Json): unknown {
  const fits = (a: Json, b: Json): boolean => {
    if (isObject(a) && '$pattern' in a) return new RegExp(String(a['$pattern'])).test(String(b))
    if (isObject(a) && isObject(b)) {
      const keys = new Set([...Object.keys(a), ...Object.keys(b)])
      return [...keys].every((key) => fits((a as JsonObject)[key] ?? null, (b as JsonObject)[key] ?? null))
    }
    return deepEqual(a, b)
  }
  return fits(wanted, got) ? 'same' : got
}

/** A definition with the templates it refers to. */
function definitionAt(file: string): Definition {
  const { value } = readYaml(readFileSync(file, 'utf8'), { merge: true })
  const definition = readDefinition(decoder(), (value ?? {}) as JsonObject)
  const load = (ref: string) => (ref !== '' && existsSync(join(dirname(file), ref)) ? readFileSync(join(dirname(file), ref), 'utf8') : '')
  const filled = (action: PakAction): PakAction => ({
    ...action,
    template: action.template || load(action.templateRef),
    templates: {
      ...action.templates,
      ...Object.fromEntries(Object.entries(action.templateRefs).map(([name, ref]) => [name, load(ref)])),
    },
  })
  return { ...definition, provision: filled(definition.provision), bind: filled(definition.bind) }
}

function* templateNames(file: string): Iterable<Verdict> {
  const root = join(dirname(dirname(file)), 'definitions')
  for (const [path, wanted] of Object.entries(load(file))) {
    const want = { variables: (wanted as Row)['inputs'] ?? [], outputs: (wanted as Row)['outputs'] ?? [] }
    yield verdict(`names of ${path}`, want, namesOf(readFileSync(join(root, path), 'utf8')))
  }
}

function* publishedSchemas(folder: string): Iterable<Verdict> {
  const root = join(dirname(dirname(folder)), 'definitions')
  for (const name of readdirSync(folder)) {
    const wanted = load(join(folder, name))
    const definition = definitionAt(join(root, `${basename(name, '.json').replace('__', '/')}.yml`))
    const parts = {
      provision_schema: definition.provision.userInputs,
      bind_schema: definition.bind.userInputs,
      bind_output_schema: [...definition.provision.outputs, ...definition.bind.outputs],
    }
    for (const [part, inputs] of Object.entries(parts)) {
      yield verdict(`schema ${name} ${part}`, (wanted['csb'] as Row)[part], schemaOf(inputs))
    }
    const refusal = wanted['v1_rejects_with']
    if (refusal === undefined || String(refusal).startsWith('yaml')) continue
    yield verdict(`V1 refuses ${name}`, refusal, listFaults(definitionFaults(definition, 'v1')))
  }
}

function* realDefinitions(folder: string): Iterable<Verdict> {
  for (const pak of readdirSync(folder)) {
    for (const name of readdirSync(join(folder, pak)).filter((one) => one.endsWith('.yml'))) {
      const file = join(folder, pak, name)
      if (name === 'manifest.yml') {
        const { value } = readYaml(readFileSync(file, 'utf8'), { merge: true })
        yield verdict(`manifest of ${pak}`, '', listFaults(manifestFaults(readManifest(decoder(), (value ?? {}) as JsonObject), 'ours')))
        continue
      }
      const definition = definitionAt(file)
      const dialects: readonly Dialect[] = pak === 'gcp-service-broker' ? ['v1', 'csb', 'ours'] : ['csb', 'ours']
      for (const dialect of dialects) {
        yield verdict(`${pak}/${name} ${dialect}`, '', listFaults(definitionFaults(definition, dialect)))
      }
    }
  }
}

function* catalogs(folder: string): Iterable<Verdict> {
  const root = join(dirname(dirname(folder)), 'definitions')
  for (const name of readdirSync(folder)) {
    const wanted = load(join(folder, name))['catalog_entry'] as Row
    const definition = definitionAt(join(root, `${basename(name, '.json').replace('__', '/')}.yml`))
    const manifest = readManifest(decoder(), {})
    const installation = { engines: [], providers: [], extras: [], faults: [] }
    const notes = { origin: 'v1' as const, manifest, definitions: [definition], installation, digest: '' }
    const [service] = packageOf(notes, pakOptions({})).services
    const plans = service!.plans.map((plan) => ({
      id: plan.id,
      name: plan.name,
      description: plan.description,
      free: plan.free,
      metadata: plan.metadata,
    }))
    const { plan_updateable: _updateable, ...rest } = wanted
    const { id, description, bindable, tags, metadata } = service!
    yield verdict(`catalog ${name}`, rest, { id, name: service!.name, description, bindable, tags, metadata, plans })
  }
}
