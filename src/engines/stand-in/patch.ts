/** The patches that clients of Kubernetes send: merge, strategic merge, and JSON Patch. */
import { deepEqual, isObject, type Json, type JsonObject, stepsOf } from '../../kit/json.ts'
import { shorten } from '../../kit/text.ts'

export type Patched =
  | { readonly kind: 'object'; readonly object: JsonObject }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unknown-type' }

/** Of applying by the server; what clients send of this type is JSON. */
export const applyPatch = 'application/apply-patch+yaml'

/** Applies a patch of a media type to an object. */
export function patch(object: JsonObject, type: string, change: Json): Patched {
  switch (type) {
    // None of the served kinds has a list that is merged by a key.
    case 'application/strategic-merge-patch+json':
    case 'application/merge-patch+json':
    case applyPatch:
      return isObject(change)
        ? { kind: 'object', object: merge(object, change as JsonObject) }
        : { kind: 'refused', message: 'the patch must be an object' }
    case 'application/json-patch+json':
      return applySteps(object, change)
    default:
      return { kind: 'unknown-type' }
  }
}

/** RFC 7386: null removes. */
function merge(target: Json | undefined, change: JsonObject): JsonObject {
  const merged = new Map(Object.entries(isObject(target) ? (target as JsonObject) : {}))
  for (const [key, value] of Object.entries(change)) {
    if (value === null) merged.delete(key)
    else if (isObject(value)) merged.set(key, merge(merged.get(key), value as JsonObject))
    else merged.set(key, value)
  }
  return Object.fromEntries(merged)
}

/** As many as clusters take. */
const stepsMax = 10_000

/** RFC 6902 for add, replace, remove and test, which is what clients write: each step takes time by the length of its path. */
function applySteps(object: JsonObject, steps: Json): Patched {
  if (!Array.isArray(steps)) return { kind: 'refused', message: 'a JSON patch must be a list' }
  if (steps.length > stepsMax)
    return { kind: 'refused', message: `a JSON patch has at most ${stepsMax} steps` }
  const root = { whole: structuredClone(object) as Json }
  for (const step of steps) {
    const message = applyStep(root, step)
    if (message !== undefined) return { kind: 'refused', message }
  }
  const { whole } = root
  return isObject(whole)
    ? { kind: 'object', object: whole as JsonObject }
    : { kind: 'refused', message: 'the patch leaves no object' }
}

/** Changes the copy in its place; tells why it cannot. */
function applyStep(root: { readonly whole: Json }, step: Json): string | undefined {
  const { op, path, value } = isObject(step) ? (step as JsonObject) : {}
  if (typeof op !== 'string' || typeof path !== 'string') return 'a step needs op and path'
  if (op !== 'remove' && value === undefined) return `${op} ${shorten(path, 253)} has no value`
  if (!['add', 'replace', 'remove', 'test'].includes(op)) return `the operation ${op} is not served`
  if (path !== '' && !path.startsWith('/')) return `the path ${shorten(path, 253)} does not begin with /`
  const names = [...stepsOf(path)]
  const last = names.pop() ?? 'whole'
  let holder: Json | undefined = path === '' ? (root as JsonObject) : root.whole
  for (const name of names) holder = own(holder, name)
  const nothing = `there is nothing at ${shorten(path, 253)}`
  if (!isObject(holder)) return nothing
  const before = own(holder as JsonObject, last)
  if (before === undefined && op !== 'add') return nothing
  if (op === 'test') return deepEqual(before, value) ? undefined : `the test of ${shorten(path, 253)} failed`
  if (op === 'remove') delete (holder as Record<string, Json>)[last]
  // Not by assignment, which a name of prototypes would turn into something else.
  else Object.defineProperty(holder, last, { value, writable: true, enumerable: true, configurable: true })
  return undefined
}

function own(holder: Json | undefined, name: string): Json | undefined {
  return isObject(holder) && Object.hasOwn(holder, name) ? (holder as JsonObject)[name] : undefined
}
