/** Terraform's state: the version that wrote it, what it gives out, whether anything is left in it. */
import { parseJson } from '../../kit/exact.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { Carryover, Output } from '../../model/outcome.ts'

/** The names under which this contract keeps things for its next run. */
export const stateName = 'terraform.tfstate'
export const keptName = 'generated.json'
export const mainName = 'imported-main.tf'

export type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly detail: string }
  | { readonly kind: 'state'; readonly document: JsonObject; readonly engine: string }

/** The state among what earlier runs left. */
export function stateOf(carryover: Carryover): State {
  const bytes = carryover[stateName]
  if (bytes === undefined || bytes.length === 0) return { kind: 'none' }
  return readState(bytes)
}

/** Formats 4 of today and 3 of the 0.11 engines. */
export function readState(bytes: Uint8Array): State {
  const document = parsed(Buffer.from(bytes).toString())
  if (!isObject(document)) return { kind: 'unreadable', detail: 'it is not JSON' }
  const version = document['version']
  if (version !== 3 && version !== 4)
    return { kind: 'unreadable', detail: `unsupported tfstate version: ${version}` }
  return {
    kind: 'state',
    document: document as JsonObject,
    engine: String(document['terraform_version'] ?? ''),
  }
}

/** Outputs with their values, sensitive ones included; null ones are not there. */
export function outputsOf(state: State): JsonObject {
  if (state.kind !== 'state') return {}
  const outputs = state.document['version'] === 3 ? oldOutputs(state.document) : state.document['outputs']
  if (!isObject(outputs)) return {}
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([name, output]) => {
      const value = isObject(output) ? output['value'] : undefined
      return value === undefined || value === null ? [] : [[name, value as Json]]
    }),
  )
}

/** Values that must not be seen: outputs that the state marks. */
function sensitiveOutputs(state: State): readonly string[] {
  if (state.kind !== 'state' || !isObject(state.document['outputs'])) return []
  return Object.entries(state.document['outputs']).flatMap(([name, output]) =>
    isObject(output) && output['sensitive'] === true ? [name] : [],
  )
}

/** What of a state is secret, as JSON: sensitive outputs, and what its resources mark. */
export function secretsIn(state: State): readonly string[] {
  if (state.kind !== 'state') return []
  const outputs = outputsOf(state)
  const { resources } = state.document
  const instances = (Array.isArray(resources) ? resources : []).flatMap((one) =>
    isObject(one) && Array.isArray(one['instances']) ? one['instances'] : [],
  )
  const values = [
    ...sensitiveOutputs(state).map((name) => outputs[name]),
    ...instances.flatMap(sensitiveValues),
  ]
  return values.flatMap((value) => (value === undefined ? [] : [JSON.stringify(value)]))
}

/** What the paths of `sensitive_attributes` lead to. */
function sensitiveValues(instance: unknown): readonly unknown[] {
  if (!isObject(instance) || !Array.isArray(instance['sensitive_attributes'])) return []
  return instance['sensitive_attributes'].map((path: unknown) =>
    (Array.isArray(path) ? path : []).reduce(stepInto, instance['attributes']),
  )
}

/** `{"type": "get_attr", "value": NAME}`, or an index whose value has a type of its own. */
function stepInto(value: unknown, step: unknown): unknown {
  const named = isObject(step) ? step['value'] : undefined
  const key = isObject(named) ? named['value'] : named
  if (Array.isArray(value)) return value[Number(key)]
  return isObject(value) && Object.hasOwn(value, String(key)) ? value[String(key)] : undefined
}

/** The outputs for operators, each a JSON document. */
export function shownOutputs(state: State): readonly Output[] {
  const secret = sensitiveOutputs(state)
  return Object.entries(outputsOf(state)).map(([name, value]) => ({
    name,
    content: Buffer.from(JSON.stringify(value)),
    mediaType: 'application/json',
    secret: secret.includes(name),
  }))
}

/** Whether everything in it is of the provider that is built into the engine. */
export function isOfBuiltIns(state: State): boolean {
  if (state.kind !== 'state') return state.kind === 'none'
  const { resources = [] } = state.document
  return (
    Array.isArray(resources) &&
    resources.every((one) => isObject(one) && String(one['provider']).includes('terraform.io/builtin/'))
  )
}

/** Whether nothing is left to destroy. */
export function isEmpty(state: State): boolean {
  if (state.kind !== 'state') return state.kind === 'none'
  const { resources, modules } = state.document
  if (Array.isArray(resources)) return resources.every((one) => !isObject(one) || one['mode'] !== 'managed')
  return ![modules ?? []]
    .flat()
    .some((one) => isObject(one) && Object.keys(one['resources'] ?? {}).length > 0)
}

function oldOutputs(document: JsonObject): Json | undefined {
  const modules = Array.isArray(document['modules']) ? document['modules'] : []
  const instance = modules.find((one) => isObject(one) && String(one['path']) === 'root,instance')
  return isObject(instance) ? (instance['outputs'] as Json) : undefined
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
