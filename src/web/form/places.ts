/** Values by place: reading is the kit's; these put in and take out, and leave what they were given as it was. */
import { isExact } from '../../kit/exact.ts'
import { isObject, type Json, type JsonObject, stepsOf, at as valueAt } from '../../kit/json.ts'

/** The value with another one at a place; `undefined` takes a member out. What lies on the way is made. */
export function put(value: JsonObject, place: string, item: Json | undefined): JsonObject {
  const steps = stepsOf(place)
  if (steps.length === 0) return isObject(item) ? (item as JsonObject) : {}
  return putInside(value, steps, item) as JsonObject
}

function putInside(value: Json | undefined, steps: readonly string[], item: Json | undefined): Json {
  const [step = '', ...rest] = steps
  if (Array.isArray(value)) {
    const index = Number(step)
    const inner = rest.length === 0 ? item : putInside(value[index], rest, item)
    // A row keeps its place: taking rows out is a deed of its own.
    return value.map((one: Json, i) => (i === index ? (inner ?? null) : one))
  }
  const members = new Map(isObject(value) ? Object.entries(value as JsonObject) : [])
  const inner = rest.length === 0 ? item : putInside(members.get(step), rest, item)
  if (inner === undefined) members.delete(step)
  else members.set(step, inner)
  return Object.fromEntries(members)
}

/** Whether a value is a map; a big integer is an object to the machine only. */
export function isMap(value: unknown): value is JsonObject {
  return isObject(value) && !isExact(value)
}

/** Whether a place is another one or lies below it. */
export function isWithin(place: string, outer: string): boolean {
  return place === outer || place.startsWith(`${outer}/`)
}

/** The value without what is secret, as it may be kept beyond the page. */
export function withoutSecrets(value: JsonObject, secrets: readonly string[]): JsonObject {
  return secrets.reduce(
    (rest, place) => (valueAt(rest, place) === undefined ? rest : put(rest, place, undefined)),
    value,
  )
}
