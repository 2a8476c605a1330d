/** What an instance and its bindings keep between actions: what was sent, credentials, state, and objects of a stand-in. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Carryover } from '../../model/outcome.ts'

export interface InstanceMemory {
  /** The parameters of the last action that took them, with defaults. */
  readonly parameters?: JsonObject
  readonly namespace?: string
  /** What provision or update wrote for the users of the service. */
  readonly credentials?: JsonObject
  /** The texts that the bundle's state holds. */
  readonly state?: Readonly<Record<string, string>>
  /** What its runs left in the target namespace of a stand-in. */
  readonly objects?: Uint8Array
  /** Its runs had a real cluster, and what they made in the target namespace is there. */
  readonly cluster?: 'real'
}

/** What was kept; each part has its own name, so that a damaged one does not hide the others. */
export function memoryOf(carryover: Carryover): InstanceMemory {
  const { namespace, objects, cluster } = carryover
  const parameters = objectOf(carryover['parameters'])
  const credentials = objectOf(carryover['credentials'])
  const state = objectOf(carryover['state'])
  return {
    ...present({ parameters }),
    ...(namespace === undefined ? {} : { namespace: textOf(namespace) }),
    ...present({ credentials }),
    ...(state === undefined ? {} : { state: state as Readonly<Record<string, string>> }),
    ...present({ objects }),
    ...(cluster === undefined ? {} : { cluster: 'real' }),
  }
}

/** The memory as it is kept. */
export function carryoverOf(memory: InstanceMemory): Carryover {
  const { parameters, namespace, credentials, state, objects, cluster } = memory
  return {
    ...(parameters === undefined ? {} : { parameters: bytesOf(parameters) }),
    ...(namespace === undefined ? {} : { namespace: new TextEncoder().encode(namespace) }),
    ...(credentials === undefined ? {} : { credentials: bytesOf(credentials) }),
    ...(state === undefined || Object.keys(state).length === 0 ? {} : { state: bytesOf(state) }),
    ...present({ objects }),
    ...(cluster === undefined ? {} : { cluster: new TextEncoder().encode(cluster) }),
  }
}

/** What a binding keeps: its credentials and, where bindings are made at the same time, the state and objects that it saw. */
export type BindingMemory = Pick<InstanceMemory, 'credentials' | 'state' | 'objects'>

/** What a binding kept; the parts are called as those of instances. */
export function bindingMemoryOf(carryover: Carryover | undefined): BindingMemory {
  return memoryOf(carryover ?? {})
}

function bytesOf(value: JsonObject): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

function objectOf(bytes: Uint8Array | undefined): JsonObject | undefined {
  if (bytes === undefined) return undefined
  const value: unknown = JSON.parse(textOf(bytes))
  return isObject(value) ? (value as JsonObject) : undefined
}
