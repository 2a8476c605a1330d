/** `io.chandler.service`: what a bundle, or its operator, says of it as a service; a small extension, never required. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { checkerOf } from '../../kit/schema.ts'
import type { Problem } from '../../model/problem.ts'
import type { Bundle } from './bundle.ts'
import { extensionOf } from './extensions.ts'

export interface ServiceHints {
  readonly id?: string
  readonly name?: string
  readonly displayName?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly imageUrl?: string
  readonly documentationUrl?: string
  readonly bindable?: boolean
  readonly plans?: readonly PlanHint[]
  readonly bindings?: BindingHints
}

export interface PlanHint {
  readonly id?: string
  readonly name: string
  readonly description?: string
  readonly free?: boolean
  /** Values that users of the plan cannot change. */
  readonly parameters?: JsonObject
  readonly metadata?: JsonObject
}

export interface BindingHints {
  readonly action?: string
  readonly unbindAction?: string
  /** Names for applications to texts with `${outputs.NAME}`. */
  readonly credentials?: JsonObject
  /** Outputs that applications get; absent: all that apply. */
  readonly outputs?: readonly string[]
}

export const serviceExtension = 'io.chandler.service'

const text = { type: 'string' }

/** The schema that documentation shows. */
export const serviceSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: serviceExtension,
  type: 'object',
  additionalProperties: false,
  properties: {
    id: text,
    name: { type: 'string', pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$' },
    displayName: text,
    description: text,
    tags: { type: 'array', items: text },
    imageUrl: text,
    documentationUrl: text,
    bindable: { type: 'boolean' },
    plans: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: {
          id: text,
          name: { type: 'string', minLength: 1 },
          description: text,
          free: { type: 'boolean' },
          parameters: { type: 'object' },
          metadata: { type: 'object' },
        },
      },
    },
    bindings: {
      type: 'object',
      additionalProperties: false,
      properties: {
        action: text,
        unbindAction: text,
        credentials: { type: 'object', additionalProperties: text },
        outputs: { type: 'array', items: text },
      },
    },
  },
}

const check = checkerOf(serviceSchema)

/** What the bundle says, with what the operator says over it. */
export function serviceHints(bundle: Bundle, operator: JsonObject): ServiceHints {
  const own = extensionOf(bundle, serviceExtension)
  return { ...(isObject(own) ? own : {}), ...operator } as ServiceHints
}

/** Problems: cnab.service.invalid. */
export function faultsOfHints(bundle: Bundle, operator: JsonObject): readonly Problem[] {
  const own = extensionOf(bundle, serviceExtension)
  return [
    ...(own === undefined ? [] : faultsIn(own, 'bundle.json', `/custom/${serviceExtension}`)),
    ...(Object.keys(operator).length === 0 ? [] : faultsIn(operator, 'options', '/service')),
  ]
}

function faultsIn(value: unknown, source: string, at: string): readonly Problem[] {
  return check(value).map(({ pointer, message }) => ({
    code: 'cnab.service.invalid',
    detail: message,
    where: { source, pointer: at + pointer },
  }))
}
