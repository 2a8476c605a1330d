/** Keys of a service definition that no original knows: mostly misspelt ones, whose value is silently not there. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { nearest } from '../../kit/text.ts'
import type { Finding } from './finding.ts'

const input = [
  'field_name',
  'type',
  'required',
  'details',
  'default',
  'enum',
  'constraints',
  'nullable',
  'prohibit_update',
  'tf_attribute',
  'tf_attribute_skip',
]
const pair = ['tf_variable', 'parameter_name']
/** What may stand at a place; `*` is any member of a list. */
const known: Readonly<Record<string, readonly string[]>> = {
  '': [
    'version',
    'name',
    'id',
    'description',
    'display_name',
    'image_url',
    'documentation_url',
    'support_url',
    'provider_display_name',
    'tags',
    'plan_updateable',
    'plans',
    'provision',
    'bind',
    'examples',
  ],
  'plans.*': [
    'name',
    'id',
    'description',
    'display_name',
    'bullets',
    'free',
    'properties',
    'provision_overrides',
    'bind_overrides',
  ],
  'examples.*': ['name', 'description', 'plan_id', 'provision_params', 'bind_params', 'bind_can_fail'],
  action: [
    'plan_inputs',
    'user_inputs',
    'computed_inputs',
    'outputs',
    'template',
    'template_ref',
    'templates',
    'template_refs',
    'import_inputs',
    'import_parameter_mappings',
    'import_parameters_to_add',
    'import_parameters_to_delete',
  ],
  'action.plan_inputs.*': input,
  'action.user_inputs.*': input,
  'action.outputs.*': input,
  // The last two say something to readers only.
  'action.computed_inputs.*': ['name', 'default', 'overwrite', 'type', 'details', 'required'],
  'action.import_inputs.*': ['field_name', 'type', 'details', 'tf_resource'],
  'action.import_parameter_mappings.*': pair,
  'action.import_parameters_to_add.*': pair,
}
const constraints = [
  'title',
  'description',
  'examples',
  'const',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'uniqueItems',
  'items',
  'additionalItems',
  'minProperties',
  'maxProperties',
  'required',
  'properties',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'dependencies',
  'enum',
  'type',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'definitions',
]

/** All of them, each with the one that was probably meant. */
export function unknownKeys(document: JsonObject): readonly Finding[] {
  return walk(document, { path: '', kind: '' })
}

interface Step {
  /** As findings name it. */
  readonly path: string
  /** As the table names it. */
  readonly kind: string
}

function walk(value: unknown, { path, kind }: Step): readonly Finding[] {
  if (Array.isArray(value))
    return value.flatMap((item, i) => walk(item, { path: `${path}[${i}]`, kind: `${kind}.*` }))
  const names = kind.endsWith('.constraints') ? constraints : known[kind]
  if (!isObject(value) || names === undefined) return []
  const join = (key: string): string => (path === '' ? key : `${path}.${key}`)
  return Object.entries(value).flatMap(([key, inner]) => {
    if (!names.includes(key)) return [unknown(key, join(key), names)]
    const isAction = kind === '' && (key === 'provision' || key === 'bind')
    const below = kind === '' ? key : `${kind}.${key}`
    const inside = key === 'constraints' ? 'action.constraints' : below
    return walk(inner, { path: join(key), kind: isAction ? 'action' : inside })
  })
}

function unknown(key: string, path: string, names: readonly string[]): Finding {
  const meant = nearest(key, names)
  const fix = meant === undefined ? 'Remove it: it is not read.' : `Write "${meant}".`
  return { text: `the field ${key} is not known and not read`, path, fix }
}
