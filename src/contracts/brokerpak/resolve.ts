/** The variables of an action in its circumstances: constants, defaults of the operator, values read from the state. */
import { isExact } from '../../kit/exact.ts'
import type { Json, JsonObject } from '../../kit/json.ts'
import type { Circumstances } from './circumstances.ts'
import type { Input } from './definition.ts'
import { pakFunctions } from './functions.ts'
import { defaultLabels, globalLabels } from './labels.ts'
import { serviceDefaults } from './options.ts'
import { outputsOf } from './state.ts'
import { stateAttribute } from './tf-attributes.ts'
import { bindingVariables, instanceVariables, type Request, type Resolution } from './variables.ts'

/** Variables of provision, update, deprovision and of what only looks. */
export function resolveInstance(around: Circumstances, parameters: JsonObject): Resolution {
  const { situation, options } = around
  const { instance, plan, service } = situation
  return instanceVariables({
    ...common(around, parameters),
    id: `tf:${instance.id}:`,
    defaults: { ...serviceDefaults(options, around.definition.name, 'provision'), ...plan.operator.defaults },
    constants: {
      ...requestConstants(around),
      'request.plan_id': plan.id ?? '',
      'request.service_id': service.id ?? '',
      'request.default_labels': defaultLabels(
        instance.id,
        instance.context,
        globalLabels(options.globalLabels),
      ),
    },
  })
}

/** Variables of bind and unbind. */
export function resolveBinding(around: Circumstances, parameters: JsonObject): Resolution {
  const { situation, options, plan: memory } = around
  const { instance, plan, service, binding } = situation
  const app = binding?.resource['app_guid']
  return bindingVariables({
    ...common(around, parameters),
    id: `tf:${instance.id}:${binding?.id ?? ''}`,
    defaults: serviceDefaults(options, around.definition.name, 'bind'),
    constants: {
      ...requestConstants(around),
      'request.binding_id': binding?.id ?? '',
      'request.plan_id': plan.id ?? '',
      'request.service_id': service.id ?? '',
      'request.app_guid': typeof app === 'string' ? app : '',
      'request.plan_properties': memory.properties,
      'instance.name': '',
      'instance.details': outputsOf(around.state),
    },
  })
}

/** Values of the inputs that are read from the state, in the type they are declared with. */
export function attributeValues({ definition, state, plan }: Circumstances): JsonObject {
  if (state.kind !== 'state') return {}
  return Object.fromEntries(
    definition.provision.userInputs.flatMap((input) => {
      const skips = input.tfAttributeSkip !== '' && plan.properties[input.tfAttributeSkip] === true
      if (input.tfAttribute === '' || skips) return []
      const value = stateAttribute(state.document, input.tfAttribute)
      return value === undefined ? [] : [[input.name, declared(input, value)]]
    }),
  )
}

/** A text input takes a number as its digits; everything else keeps the type it has. */
function declared({ type }: Input, value: Json): Json {
  if (type !== 'string' || typeof value === 'string' || value === null) return value
  if (isExact(value)) return value.rawJSON
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function common(
  { situation, definition, plan, options, dialect, notes, memory }: Circumstances,
  parameters: JsonObject,
): Omit<Request, 'id' | 'defaults' | 'constants'> {
  return {
    definition,
    plan,
    parameters,
    dialect,
    globalDefaults: options.globalDefaults,
    functions: pakFunctions(situation, notes.manifest, options),
    kept: memory.kept,
  }
}

function requestConstants({ situation, dialect }: Circumstances): JsonObject {
  const { instance, requester, binding } = situation
  const constants = { 'request.instance_id': instance.id }
  if (dialect === 'v1') return constants
  return {
    ...constants,
    'request.context': binding?.context ?? instance.context,
    'request.x_broker_api_originating_identity':
      requester === undefined ? {} : { platform: requester.platform, value: requester.identity },
  }
}
