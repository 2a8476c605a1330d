/** What the faulty broker offers. */
import type { JsonObject } from '../../../src/kit/json.ts'
import type { Fault } from './faults.ts'

export interface Pump {
  readonly id: string
  readonly bindable: boolean
  /** Its maintenance_info. */
  readonly version?: string
}

const hand: Pump = { id: 'pump-hand', bindable: true }
/** Everything about it is done in the background. */
export const steam: Pump = { id: 'pump-steam', bindable: true, version: '3.0.0' }
const toy: Pump = { id: 'pump-toy', bindable: false }
const all = [hand, steam, toy]

interface Wrong {
  serial: number
  has(fault: Fault): boolean
}

export function catalogOf(world: Wrong): JsonObject {
  const id = world.has('has new ids every time') ? `pump-${++world.serial}` : 'pump'
  return {
    services: [
      {
        id,
        name: 'pump',
        ...(world.has('has a service without description') ? {} : { description: 'Water.' }),
        bindable: true,
        instances_retrievable: true,
        bindings_retrievable: true,
        allow_context_updates: true,
        plan_updateable: true,
        plans: all.map((pump) => planOf(pump, world)),
      },
    ],
  }
}

function planOf(pump: Pump, world: Wrong): JsonObject {
  const draft = world.has('has a schema without $schema')
    ? {}
    : { $schema: 'http://json-schema.org/draft-04/schema#' }
  const parameters: JsonObject = {
    ...draft,
    type: 'object',
    properties: { litres: { type: 'integer', minimum: 1 } },
    required: ['litres'],
  }
  const twice = pump === toy && world.has('has a plan id twice')
  return {
    id: twice ? hand.id : pump.id,
    name: pump.id.slice('pump-'.length),
    description: 'A pump.',
    bindable: pump.bindable,
    plan_updateable: pump !== steam,
    binding_rotatable: pump === hand,
    ...(pump.version === undefined ? {} : { maintenance_info: { version: pump.version } }),
    schemas: { service_instance: { create: { parameters }, update: { parameters } } },
  }
}

export function isOffered(body: JsonObject): boolean {
  return body['service_id'] === 'pump' && all.some(({ id }) => id === body['plan_id'])
}

/** The plan of an id; what is ordered although it is not offered is a pump for the hand. */
export function planNamed(id: unknown): Pump {
  return all.find((pump) => pump.id === id) ?? hand
}
