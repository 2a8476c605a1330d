/** What the broker that is right offers. */
import type { JsonObject } from '../../../src/kit/json.ts'

export interface Plan {
  readonly id: string
  readonly inBackground: boolean
  readonly bindable: boolean
  readonly updateable: boolean
  readonly rotatable: boolean
  readonly maintenance?: string
}

export const serviceId = 'lamp-service'
export const plans: readonly Plan[] = [
  { id: 'lamp-desk', inBackground: false, bindable: true, updateable: true, rotatable: true },
  {
    id: 'lamp-street',
    inBackground: true,
    bindable: true,
    updateable: false,
    rotatable: false,
    maintenance: '1.2.0',
  },
  { id: 'lamp-candle', inBackground: false, bindable: false, updateable: true, rotatable: false },
]
export const schema: JsonObject = {
  $schema: 'http://json-schema.org/draft-04/schema#',
  type: 'object',
  additionalProperties: false,
  required: ['watts'],
  properties: {
    watts: { type: 'integer', minimum: 5, maximum: 60 },
    colour: { type: 'string', pattern: '^[a-z]{3,9}$' },
  },
}
export const { required: _, ...updateSchema } = schema
const bindSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-04/schema#',
  type: 'object',
  properties: { role: { type: 'string', enum: ['reader', 'writer'] } },
}
/** The catalog for one version: what is newer is left out. */
export function catalogOf(minor: number): JsonObject {
  return {
    services: [
      {
        id: serviceId,
        name: 'lamp',
        description: 'Light where it is wanted.',
        bindable: true,
        requires: ['syslog_drain'],
        plan_updateable: true,
        ...(minor >= 14 ? { instances_retrievable: true, bindings_retrievable: true } : {}),
        ...(minor >= 15 ? { allow_context_updates: true } : {}),
        plans: plans.map((plan) => planDocument(plan, minor)),
      },
    ],
  }
}

function planDocument(plan: Plan, minor: number): JsonObject {
  const { id, bindable, updateable, rotatable, maintenance } = plan
  return {
    id,
    name: id.slice('lamp-'.length),
    description: 'One kind of it.',
    free: true,
    bindable,
    ...(minor >= 13
      ? {
          schemas: {
            service_instance: { create: { parameters: schema }, update: { parameters: updateSchema } },
            service_binding: { create: { parameters: bindSchema } },
          },
        }
      : {}),
    ...(minor >= 15 ? { plan_updateable: updateable, maximum_polling_duration: 600 } : {}),
    ...(minor >= 15 && maintenance !== undefined ? { maintenance_info: { version: maintenance } } : {}),
    ...(minor >= 17 ? { binding_rotatable: rotatable } : {}),
  }
}

/** What a binding has beside its credentials. */
export function extras(minor: number): JsonObject {
  return {
    syslog_drain_url: 'syslog://lamps.example:514',
    ...(minor >= 15
      ? { endpoints: [{ host: 'lamps.example', ports: ['443', '9000-9010'], protocol: 'tcp' }] }
      : {}),
    ...(minor >= 16
      ? { metadata: { expires_at: '2040-01-31T12:00:00.0Z', renew_before: '2040-01-01T00:00:00.0Z' } }
      : {}),
  }
}

export function planOf(id: unknown): Plan {
  const found = plans.find((plan) => plan.id === id)
  if (found === undefined) throw new Error(`no plan ${id}`)
  return found
}
