/** Specs of a dump as files: an `apb.yml` for each, which names its image, for a source of type folder. */
import { isObject, type Json, type JsonObject } from '../../../kit/json.ts'
import { present } from '../../../kit/present.ts'
import { writeYaml } from '../../../kit/yaml.ts'
import { type Dump, objectIn, wordIn } from './resources.ts'

export interface WrittenSpec {
  /** Below the folder of all of them. */
  readonly path: string
  readonly text: string
  /** The registry whose name the service begins with: the source must have it. */
  readonly registry: string
}

/** The specs, in folders by the registry that they came from. */
export function specsOf({ bundles }: Dump, registries: readonly string[]): readonly WrittenSpec[] {
  return bundles.flatMap(({ spec }) => {
    const place = placeOf(spec, registries)
    if (place.kind === 'none') return []
    const { registry, name } = place
    return [{ path: `${registry}/${name}/apb.yml`, text: writeYaml(specOf(spec, name)), registry }]
  })
}

/** Which specs are in none of these files, and why; a line each. */
export function specsLeftOut({ bundles }: Dump, registries: readonly string[]): readonly string[] {
  return bundles.flatMap(({ name, spec }) => {
    const place = placeOf(spec, registries)
    return place.kind === 'none' ? [`spec ${wordIn(spec, 'fq_name') || name} is left out: ${place.why}`] : []
  })
}

type Place =
  | { readonly kind: 'folder'; readonly registry: string; readonly name: string }
  | { readonly kind: 'none'; readonly why: string }

function placeOf(spec: JsonObject, registries: readonly string[]): Place {
  const full = wordIn(spec, 'fq_name')
  const registry = [...registries, 'apb-push']
    .toSorted((a, b) => b.length - a.length)
    .find((name) => full.startsWith(`${name.replace(/[.]/g, '-')}-`))
  if (registry === undefined)
    return { kind: 'none', why: 'its name begins with no registry of the configuration' }
  const name = full.slice(registry.length + 1)
  return folderName.test(name)
    ? { kind: 'folder', registry, name }
    : { kind: 'none', why: 'its name is none that the original makes' }
}

/** The original makes no others, and nothing of a dump shall lie beside the folder. */
const folderName = /^(?!\.{1,2}$)[^/\0]{1,51}$/u

function specOf(spec: JsonObject, name: string): Json {
  const { tags = [], bindable = false } = spec
  return {
    version: '1.0',
    name,
    image: wordIn(spec, 'image').replace(/^docker:\/\//, ''),
    description: wordIn(spec, 'description'),
    bindable,
    async: wordIn(spec, 'async') || 'optional',
    tags,
    metadata: objectIn(spec, 'metadata') ?? {},
    alpha: objectIn(spec, 'Alpha') ?? objectIn(spec, 'alpha') ?? {},
    plans: listIn(spec, 'plans').map(planOf),
  }
}

function planOf(plan: JsonObject): Json {
  return {
    name: wordIn(plan, 'name'),
    description: wordIn(plan, 'description'),
    metadata: objectIn(plan, 'metadata') ?? {},
    free: plan['free'] ?? false,
    ...present({ bindable: plan['bindable'] }),
    updates_to: plan['updates_to'] ?? plan['updatesTo'] ?? [],
    parameters: listIn(plan, 'parameters').map(parameterOf),
    bind_parameters: [...listIn(plan, 'bindParameters'), ...listIn(plan, 'bind_parameters')].map(parameterOf),
  }
}

/** Keys of the resources that are written otherwise in a spec. */
const written: Readonly<Record<string, string>> = {
  displayType: 'display_type',
  displayGroup: 'display_group',
  maxLength: 'max_length',
  minLength: 'min_length',
  multipleOf: 'multiple_of',
  exclusiveMaximum: 'exclusive_maximum',
  exclusiveMinimum: 'exclusive_minimum',
}

function parameterOf(parameter: JsonObject): Json {
  return Object.fromEntries(
    Object.entries(parameter).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
      if (key !== 'default') return [[written[key] ?? key, value]]
      const inner = typeof value === 'string' ? objectIn({ value }, 'value')?.['default'] : undefined
      return inner === undefined || inner === null ? [] : [['default', inner]]
    }),
  )
}

function listIn(of: JsonObject, name: string): readonly JsonObject[] {
  const value = of[name]
  return Array.isArray(value) ? (value.filter(isObject) as JsonObject[]) : []
}
