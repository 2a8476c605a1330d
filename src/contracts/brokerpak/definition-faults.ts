/** What is wrong with a service definition: by our own rules, or by those of either original. */
import {
  type Computed,
  type Definition,
  type Input,
  type PakAction,
  type PakPlan,
  templatesOf,
} from './definition.ts'
import { blankFields, type FieldFault, isUrl, isUuid, missing } from './field-faults.ts'
import { namesOf } from './hcl.ts'
import { hclOneFault } from './hcl-one.ts'
import type { Dialect } from './manifest-faults.ts'

const types = ['', 'object', 'boolean', 'array', 'number', 'string', 'integer']

/** All faults of a definition. */
export function definitionFaults(definition: Definition, dialect: Dialect): readonly FieldFault[] {
  const { provision, bind } = definition
  return [
    ...documentFaults(definition, dialect),
    ...templateFaults(provision, 'provision', dialect),
    ...templateFaults(bind, 'bind', dialect),
  ]
}

/** Those that show without its templates. */
export function documentFaults(definition: Definition, dialect: Dialect): readonly FieldFault[] {
  const { name, description, displayName: display_name } = definition
  const urls = {
    image_url: definition.imageUrl,
    documentation_url: definition.documentationUrl,
    support_url: definition.supportUrl,
  }
  return [
    ...(definition.version === 1
      ? []
      : [{ text: `invalid value: ${definition.version ?? 0}`, path: 'version' }]),
    ...blankFields({ name, description, display_name }),
    ...idFaults(definition.id, 'id'),
    ...Object.entries(urls).flatMap(([path, url]) =>
      isUrl(url) ? [] : [{ text: 'field must be a URL', path }],
    ),
    ...definition.plans.flatMap((plan, i) => planFaults(plan, `plans[${i}]`, dialect)),
    ...(dialect === 'v1' ? [] : repeatedPlans(definition.plans)),
    ...actionFaults(definition.provision, 'provision', dialect),
    ...actionFaults(definition.bind, 'bind', dialect),
    ...definition.examples.flatMap((example, i) =>
      blankFields(
        { name: example.name, description: example.description, plan_id: example.planId },
        `examples[${i}]`,
      ),
    ),
  ]
}

/** Faults of one variable; also of variables outside of a definition. */
export function inputFaults(input: Input, path: string, dialect: Dialect): readonly FieldFault[] {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`)
  const attribute = /^([-a-zA-Z0-9_-]*\.[-a-zA-Z0-9_-]*){2}/
  const faults = [
    ...blankFields({ field_name: input.name, details: input.details }, path),
    ...typeFaults(input.type, at('type')),
  ]
  if (dialect !== 'v1' && input.tfAttribute !== '' && !attribute.test(input.tfAttribute)) {
    const text = "field must match '^([-a-zA-Z0-9_-]*\\.[-a-zA-Z0-9_-]*){2}'"
    faults.push({ text, path: at('tf_attribute') })
  }
  return faults
}

function planFaults(plan: PakPlan, path: string, dialect: Dialect): readonly FieldFault[] {
  const { name, description, displayName: display_name } = plan
  const lists = Object.entries(plan.properties).filter(
    ([, value]) => typeof value === 'object' && value !== null,
  )
  const untyped =
    dialect === 'v1'
      ? lists.map(([key]) => ({ text: 'cannot unmarshal into string', path: `${path}.properties.${key}` }))
      : []
  return [
    ...blankFields({ name, description, display_name }, path),
    ...idFaults(plan.id, `${path}.id`),
    ...untyped,
  ]
}

function repeatedPlans(plans: readonly PakPlan[]): readonly FieldFault[] {
  const repeated = (values: readonly string[], field: string) =>
    values.flatMap((value, i) =>
      values.indexOf(value) < i
        ? [{ text: `duplicated value, must be unique: ${value}`, path: `plans[${i}].${field}` }]
        : [],
    )
  return [
    ...repeated(
      plans.map(({ id }) => id),
      'ID',
    ),
    ...repeated(
      plans.map(({ name }) => name),
      'Name',
    ),
  ]
}

function actionFaults(action: PakAction, path: string, dialect: Dialect): readonly FieldFault[] {
  return [
    ...action.planInputs.flatMap((input, i) => inputFaults(input, `${path}.plan_inputs[${i}]`, dialect)),
    ...action.userInputs.flatMap((input, i) => inputFaults(input, `${path}.user_inputs[${i}]`, dialect)),
    ...action.outputs.flatMap((input, i) => inputFaults(input, `${path}.outputs[${i}]`, dialect)),
    ...action.computedInputs.flatMap((input, i) => computedFaults(input, `${path}.computed_inputs[${i}]`)),
  ]
}

function computedFaults(input: Computed, path: string): readonly FieldFault[] {
  const blank = input.default === null ? [missing(`${path}.default`)] : []
  return [...blankFields({ name: input.name }, path), ...blank, ...typeFaults(input.type, `${path}.type`)]
}

/** The template must parse, use declared variables only, and make exactly the declared outputs. */
function templateFaults(action: PakAction, path: string, dialect: Dialect): readonly FieldFault[] {
  const invalid = hclFault(action, path, dialect)
  if (invalid) return invalid
  const seen = dialect === 'v1' ? { definition: action.template } : templatesOf(action)
  const names = Object.values(seen).map((template) => namesOf(template))
  const variables = names.flatMap((one) => ('fault' in one ? [] : one.variables))
  const outputs = names.flatMap((one) => ('fault' in one ? [] : one.outputs)).sort()
  const declared = new Set(
    [...action.planInputs, ...action.userInputs, ...action.computedInputs].map(({ name }) => name),
  )
  const undeclared = [...new Set(variables)].filter((name) => !declared.has(name))
  return [
    ...undeclared.map((name) => ({ text: 'fields used but not declared', path: `${path}.template.${name}` })),
    ...outputFaults(action, outputs, dialect),
  ]
}

function outputFaults(action: PakAction, made: readonly string[], dialect: Dialect): readonly FieldFault[] {
  const declared = action.outputs
    .map(({ name }) => name)
    .filter((name) => name !== '')
    .sort()
  // An output "status" is the message of the operation and need not be declared.
  const counted =
    dialect === 'v1' || declared.includes('status') ? made : made.filter((name) => name !== 'status')
  if (counted.join(' ') === declared.join(' ')) return []
  const text = `template outputs [${made.join(' ')}] must match declared outputs [${declared.join(' ')}]`
  return [{ text, path: '' }]
}

function hclFault(action: PakAction, path: string, dialect: Dialect): readonly FieldFault[] | undefined {
  const whole = { text: 'invalid HCL', path: `${path}.template` }
  const message = dialect === 'v1' ? hclOneFault(action.template) : faultOf(action.template)
  if (message !== undefined) return [{ text: message, path: '' }, whole]
  if (dialect === 'v1') return undefined
  for (const [name, template] of Object.entries(action.templates)) {
    const fault = faultOf(template)
    if (fault !== undefined) {
      return [{ text: `${fault} decoding definitions[${name}]`, path: '' }]
    }
  }
  return undefined
}

function faultOf(template: string): string | undefined {
  const names = namesOf(template)
  return 'fault' in names ? names.fault : undefined
}

function idFaults(id: string, path: string): readonly FieldFault[] {
  return isUuid(id) ? [] : [{ text: 'field must be a UUID', path }]
}

function typeFaults(type: string, path: string): FieldFault[] {
  if (types.includes(type)) return []
  return [{ text: "field must match '^(|object|boolean|array|number|string|integer)$'", path }]
}
