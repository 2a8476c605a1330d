/** What platforms and forms are told of the parameters of a plan. */
import type { Json, JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { OperatorChoice, PlanSchemas } from '../../model/package.ts'
import { conditionOf, originalDependencies } from './conditions.ts'
import type { Options } from './options.ts'
import { type Bound, isSecret, type Parameter, type SpecPlan } from './spec.ts'
import { typedDefault, typedEnum } from './values.ts'

const draftFour = 'http://json-schema.org/draft-04/schema'

/** The schemas of a plan for what its operator left open. */
export function schemasOf(plan: SpecPlan, operator: OperatorChoice, options: Options): PlanSchemas {
  const own = openParameters(plan.parameters, operator, options)
  const schema = (parameters: readonly Parameter[]) => schemaOf(parameters, operator.defaults, options)
  const update = own.filter(({ updatable }) => updatable)
  return {
    create: schema(own),
    // A platform that checks before it sends would have to repeat what is required with every change.
    update: options.schemas === 'original' ? schema(update) : withoutRequired(schema(update)),
    bind: schemaOf(openParameters(plan.bindParameters, { inputs: {} }, options), {}, options),
  }
}

/** The parameters that users of a plan may see and send. */
export function openParameters(
  parameters: readonly Parameter[],
  operator: Pick<OperatorChoice, 'inputs' | 'allow'>,
  options: Options,
): readonly Parameter[] {
  return parameters.filter(
    ({ name }) =>
      !Object.hasOwn(operator.inputs, name) &&
      !options.secrets.includes(name) &&
      (operator.allow === undefined || operator.allow.includes(name)),
  )
}

function schemaOf(parameters: readonly Parameter[], defaults: JsonObject, options: Options): JsonObject {
  const original = options.schemas === 'original'
  const property = (parameter: Parameter): Json => propertyOf(parameter, defaults, original)
  const { dependencies, moved } = original
    ? originalDependencies(parameters, property)
    : { dependencies: {}, moved: new Set<string>() }
  const properties = parameters.filter(({ name }) => !moved.has(name)).map((p) => [p.name, property(p)])
  const required = new Set(
    parameters
      .filter((parameter) => parameter.required && !Object.hasOwn(defaults, parameter.name))
      .filter((parameter) => original || conditionOf(parameter, parameters) === undefined)
      .map(({ name }) => name),
  )
  return {
    $schema: draftFour,
    type: 'object',
    additionalProperties: false,
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...(Object.keys(dependencies).length === 0 ? {} : { dependencies }),
  }
}

function withoutRequired({ required: _required, ...schema }: JsonObject): JsonObject {
  return schema
}

/** The original writes defaults and choices as they stand in the spec, even where their type refuses them. */
function propertyOf(parameter: Parameter, defaults: JsonObject, original: boolean): JsonObject {
  const { name, type, title, description, pattern, maxLength, minLength, multipleOf } = parameter
  const operators = Object.hasOwn(defaults, name) ? defaults[name] : undefined
  return present({
    title,
    description,
    default: operators ?? (original ? parameter.default : typedDefault(parameter)),
    type,
    maxLength,
    minLength,
    pattern,
    multipleOf,
    ...boundMembers('minimum', 'exclusiveMinimum', parameter.minimum),
    ...boundMembers('maximum', 'exclusiveMaximum', parameter.maximum),
    enum: enumOf(parameter, original),
    additionalProperties: original && type === 'object' ? false : undefined,
    additionalItems: original && type === 'array' ? false : undefined,
    writeOnly: isSecret(parameter) ? true : undefined,
  }) as JsonObject
}

function enumOf(parameter: Parameter, original: boolean): readonly Json[] | undefined {
  if (parameter.enum.length === 0) return undefined
  return original ? parameter.enum : typedEnum(parameter)
}

function boundMembers(plain: string, exclusive: string, bound: Bound | undefined): JsonObject {
  if (bound === undefined) return {}
  return { [plain]: bound.value, ...(bound.exclusive ? { [exclusive]: true } : {}) }
}

/** The plan's metadata with the form definitions under the names that platforms know. */
export function metadataWithForms(plan: SpecPlan, operator: OperatorChoice, options: Options): JsonObject {
  const own = openParameters(plan.parameters, operator, options)
  const bind = openParameters(plan.bindParameters, { inputs: {} }, options)
  return {
    ...plan.metadata,
    schemas: {
      service_instance: { create: form(own), update: form(own.filter(({ updatable }) => updatable)) },
      service_binding: { create: form(bind) },
    },
  }
}

function form(parameters: readonly Parameter[]): JsonObject {
  const items: Json[] = []
  let group: { readonly title: string; readonly items: Json[] } | undefined
  for (const { name, displayType, displayGroup } of parameters) {
    const item: Json = displayType === undefined ? name : { key: name, type: displayType }
    if (displayGroup === undefined) {
      group = undefined
      items.push(item)
      continue
    }
    // Only neighbours share a fieldset: a group that comes again later is shown again.
    if (group?.title !== displayGroup) {
      group = { title: displayGroup, items: [] }
      items.push({ title: displayGroup, type: 'fieldset', items: group.items })
    }
    group.items.push(item)
  }
  return { openshift_form_definition: items }
}
