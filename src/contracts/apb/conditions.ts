/** Parameters that matter only while another one has a certain value. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { Parameter } from './spec.ts'

/** What a parameter depends on, if that is a parameter of the plan and can be compared. */
export interface Resolved {
  readonly on: Parameter
  /** The values of the other parameter that count; absent: that it is given at all. */
  readonly values?: readonly string[]
}

/** The condition of a parameter, or nothing where it has none that has an effect. */
export function conditionOf(
  { condition }: Parameter,
  parameters: readonly Parameter[],
): Resolved | undefined {
  const on = condition && parameters.findLast(({ name }) => name === condition.on)
  if (condition === undefined || on === undefined) return undefined
  if (on.enum.length === 0) return { on }
  const { value } = condition
  const values = Array.isArray(value) ? value : [value]
  return values.every((item): item is string => typeof item === 'string') ? { on, values } : undefined
}

/** Whether a parameter matters for these values. */
export function matters(parameter: Parameter, parameters: readonly Parameter[], values: JsonObject): boolean {
  const condition = conditionOf(parameter, parameters)
  if (condition === undefined) return true
  const { on, values: wanted } = condition
  const value = Object.hasOwn(values, on.name) ? values[on.name] : undefined
  if (wanted === undefined) return value !== undefined && value !== null && value !== false
  // A value that the other parameter cannot have leaves the condition open, as the original's schema does.
  const possible = wanted.filter((word) => on.enum.includes(word))
  return possible.length === 0 || (value !== undefined && possible.includes(textOf(value)))
}

/** The member `dependencies` of a schema as the original writes it, and whose properties it holds. */
export function originalDependencies(
  parameters: readonly Parameter[],
  property: (parameter: Parameter) => Json,
): { readonly dependencies: JsonObject; readonly moved: ReadonlySet<string> } {
  const dependencies = new Map<string, JsonObject>()
  const moved = new Set<string>()
  for (const parameter of parameters) {
    const condition = conditionOf(parameter, parameters)
    if (condition === undefined) continue
    const { on, values } = condition
    moved.add(parameter.name)
    const before = dependencies.get(on.name)
    const own = { [parameter.name]: property(parameter) }
    dependencies.set(
      on.name,
      values === undefined
        ? whenGiven(before, own, parameter.name)
        : whenEqual(before, { ...own, [on.name]: narrowed(on, values) }, parameter.name),
    )
  }
  return { dependencies: Object.fromEntries(dependencies), moved }
}

function whenGiven(before: JsonObject | undefined, own: JsonObject, name: string): JsonObject {
  const properties = before?.['properties']
  const required = before?.['required']
  return {
    properties: { ...(isObject(properties) ? (properties as JsonObject) : {}), ...own },
    required: [...(Array.isArray(required) ? required : []), name],
  }
}

function whenEqual(before: JsonObject | undefined, properties: JsonObject, name: string): JsonObject {
  const branches = before?.['oneOf']
  return { oneOf: [...(Array.isArray(branches) ? branches : []), { properties, required: [name] }] }
}

function narrowed(on: Parameter, values: readonly string[]): JsonObject {
  const possible = values.filter((value) => on.enum.includes(value))
  return possible.length === 0 ? {} : { enum: possible }
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
