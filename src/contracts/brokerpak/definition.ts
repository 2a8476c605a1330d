/** A service definition: the catalog part, and two actions with their inputs, outputs and Terraform. */
import type { Json, JsonObject } from '../../kit/json.ts'
import {
  type Decoder,
  flagAt,
  itemsAt,
  listAt,
  mapAt,
  textAt,
  textMapAt,
  textsAt,
  wholeAt,
} from './decode.ts'

export interface Definition {
  readonly version: number | undefined
  readonly name: string
  readonly id: string
  readonly description: string
  readonly displayName: string
  readonly imageUrl: string
  readonly documentationUrl: string
  readonly supportUrl: string
  readonly providerDisplayName: string
  readonly tags: readonly string[]
  readonly planUpdateable: boolean
  readonly plans: readonly PakPlan[]
  readonly provision: PakAction
  readonly bind: PakAction
  readonly examples: readonly Example[]
}

export interface PakPlan {
  readonly name: string
  readonly id: string
  readonly description: string
  readonly displayName: string
  readonly bullets: readonly string[]
  readonly free: boolean
  readonly properties: JsonObject
  readonly provisionOverrides: JsonObject
  readonly bindOverrides: JsonObject
}

export interface PakAction {
  readonly planInputs: readonly Input[]
  readonly userInputs: readonly Input[]
  readonly computedInputs: readonly Computed[]
  readonly outputs: readonly Input[]
  readonly template: string
  readonly templateRef: string
  readonly templates: Readonly<Record<string, string>>
  readonly templateRefs: Readonly<Record<string, string>>
  readonly importInputs: readonly ImportInput[]
  readonly importMappings: readonly { readonly variable: string; readonly parameter: string }[]
  readonly importAdditions: readonly { readonly variable: string; readonly parameter: string }[]
  readonly importDeletions: readonly string[]
}

export interface Input {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly details: string
  readonly default: Json
  /** The allowed values, sorted, in the type they have in the document. */
  readonly allowed: readonly Json[] | undefined
  readonly constraints: JsonObject
  readonly nullable: boolean
  readonly prohibitUpdate: boolean
  readonly tfAttribute: string
  readonly tfAttributeSkip: string
}

export interface Computed {
  readonly name: string
  readonly default: Json
  readonly overwrite: boolean
  readonly type: string
}

interface ImportInput {
  readonly name: string
  readonly type: string
  readonly details: string
  readonly resource: string
}

interface Example {
  readonly name: string
  readonly description: string
  readonly planId: string
  readonly provisionParams: JsonObject
  readonly bindParams: JsonObject
  readonly bindCanFail: boolean
}

/** Reads a definition; unknown fields are ignored, as both originals do. */
export function readDefinition(decode: Decoder, from: JsonObject): Definition {
  const text = (name: string) => textAt(decode, from, name, '')
  return {
    version: wholeAt(decode, from, 'version', ''),
    name: text('name'),
    id: text('id'),
    description: text('description'),
    displayName: text('display_name'),
    imageUrl: text('image_url'),
    documentationUrl: text('documentation_url'),
    supportUrl: text('support_url'),
    providerDisplayName: text('provider_display_name'),
    tags: textsAt(decode, from, 'tags', ''),
    planUpdateable: flagAt(decode, from, 'plan_updateable', ''),
    plans: itemsAt(decode, [from, 'plans', ''], (item, path) => readPlan(decode, item, path)),
    provision: readAction(decode, mapAt(decode, from, 'provision', ''), 'provision'),
    bind: readAction(decode, mapAt(decode, from, 'bind', ''), 'bind'),
    examples: itemsAt(decode, [from, 'examples', ''], (item, path) => ({
      name: textAt(decode, item, 'name', path),
      description: textAt(decode, item, 'description', path),
      planId: textAt(decode, item, 'plan_id', path),
      provisionParams: mapAt(decode, item, 'provision_params', path),
      bindParams: mapAt(decode, item, 'bind_params', path),
      bindCanFail: flagAt(decode, item, 'bind_can_fail', path),
    })),
  }
}

function readPlan(decode: Decoder, from: JsonObject, path: string): PakPlan {
  return {
    name: textAt(decode, from, 'name', path),
    id: textAt(decode, from, 'id', path),
    description: textAt(decode, from, 'description', path),
    displayName: textAt(decode, from, 'display_name', path),
    bullets: textsAt(decode, from, 'bullets', path),
    free: flagAt(decode, from, 'free', path),
    properties: mapAt(decode, from, 'properties', path),
    provisionOverrides: mapAt(decode, from, 'provision_overrides', path),
    bindOverrides: mapAt(decode, from, 'bind_overrides', path),
  }
}

function readAction(decode: Decoder, from: JsonObject, path: string): PakAction {
  const inputs = (name: string) =>
    itemsAt(decode, [from, name, path], (item, place) => readInput(decode, item, place))
  const pairs = (name: string) =>
    itemsAt(decode, [from, name, path], (item, place) => ({
      variable: textAt(decode, item, 'tf_variable', place),
      parameter: textAt(decode, item, 'parameter_name', place),
    }))
  return {
    planInputs: inputs('plan_inputs'),
    userInputs: inputs('user_inputs'),
    computedInputs: itemsAt(decode, [from, 'computed_inputs', path], (item, place) => ({
      name: textAt(decode, item, 'name', place),
      default: item['default'] ?? null,
      overwrite: flagAt(decode, item, 'overwrite', place),
      type: textAt(decode, item, 'type', place),
    })),
    outputs: inputs('outputs'),
    template: textAt(decode, from, 'template', path),
    templateRef: textAt(decode, from, 'template_ref', path),
    templates: textMapAt(decode, from, 'templates', path),
    templateRefs: textMapAt(decode, from, 'template_refs', path),
    importInputs: itemsAt(decode, [from, 'import_inputs', path], (item, place) => ({
      name: textAt(decode, item, 'field_name', place),
      type: textAt(decode, item, 'type', place),
      details: textAt(decode, item, 'details', place),
      resource: textAt(decode, item, 'tf_resource', place),
    })),
    importMappings: pairs('import_parameter_mappings'),
    importAdditions: pairs('import_parameters_to_add'),
    importDeletions: textsAt(decode, from, 'import_parameters_to_delete', path),
  }
}

/** Reads one variable of a definition. */
export function readInput(decode: Decoder, from: JsonObject, path: string): Input {
  const type = textAt(decode, from, 'type', path)
  const nullable = flagAt(decode, from, 'nullable', path)
  return {
    name: textAt(decode, from, 'field_name', path),
    type,
    required: flagAt(decode, from, 'required', path),
    details: textAt(decode, from, 'details', path),
    default: from['default'] ?? null,
    allowed: from['enum'] == null ? undefined : allowedValues(decode, from, [path, type, nullable]),
    constraints: mapAt(decode, from, 'constraints', path),
    nullable,
    prohibitUpdate: flagAt(decode, from, 'prohibit_update', path),
    tfAttribute: textAt(decode, from, 'tf_attribute', path),
    tfAttributeSkip: textAt(decode, from, 'tf_attribute_skip', path),
  }
}

/** The keys of the map, sorted as texts; null, where it is allowed, sorts as "<nil>". */
function allowedValues(
  decode: Decoder,
  from: JsonObject,
  [path, type, nullable]: readonly [string, string, boolean],
): readonly Json[] {
  const { enum: given } = from
  const keys = Array.isArray(given)
    ? listAt(decode, from, 'enum', path).map(String)
    : Object.keys(mapAt(decode, from, 'enum', path))
  const values = keys.map((key): readonly [string, Json] => [key, typedKey(key, type)])
  const all: readonly (readonly [string, Json])[] = nullable ? [...values, ['<nil>', null]] : values
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}

/** Keys of our documents are texts; the declared type says what they were. */
function typedKey(key: string, type: string): Json {
  if (type === 'integer' || type === 'number')
    return key !== '' && Number.isFinite(Number(key)) ? Number(key) : key
  if (type === 'boolean' && (key === 'true' || key === 'false')) return key === 'true'
  return key
}

/** All templates of an action by file name; the single one is called `definition`. */
export function templatesOf(action: PakAction): Readonly<Record<string, string>> {
  return action.template === '' ? action.templates : { ...action.templates, definition: action.template }
}

/** Whether anything is to be run for an action. */
export function hasTemplates(action: PakAction): boolean {
  return Object.keys(templatesOf(action)).length > 0
}
