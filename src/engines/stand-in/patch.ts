/** The patches that clients of Kubernetes send: merge, strategic merge, and JSON Patch. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'

export type Patched =
  | { readonly kind: 'object'; readonly object: JsonObject }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unknown-type' }

/** Applies a patch of a media type to an object. */
export function patch(object: JsonObject, type: string, change: Json): Patched {
  switch (type) {
    // None of the served kinds has a list that is merged by a key.
    case 'application/strategic-merge-patch+json':
    case 'application/merge-patch+json':
    case 'application/apply-patch+yaml':
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

/** RFC 6902 for add, replace, remove and test, which is what clients write. */
function applySteps(object: JsonObject, steps: Json): Patched {
  if (!Array.isArray(steps)) return { kind: 'refused', message: 'a JSON patch must be a list' }
  let whole: Json = object
  for (const step of steps) {
    const after = applyStep(whole, step)
    if (after.kind === 'refused') return after
    whole = after.value
  }
  return isObject(whole)
    ? { kind: 'object', object: whole as JsonObject }
    : { kind: 'refused', message: 'the patch leaves no object' }
}

type Stepped =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'refused'; readonly message: string }

function applyStep(whole: Json, step: Json): Stepped {
  const { op, path, value } = isObject(step) ? (step as JsonObject) : {}
  if (typeof op !== 'string' || typeof path !== 'string') return refused('a step needs op and path')
  const names = path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (op !== 'remove' && value === undefined) return refused(`${op} ${path} has no value`)
  if (!['add', 'replace', 'remove', 'test'].includes(op)) return refused(`the operation ${op} is not served`)
  return change(whole, names, { op, path, value: value ?? null })
}

function change(
  target: Json,
  names: readonly string[],
  step: { readonly op: string; readonly path: string; readonly value: Json },
): Stepped {
  const [name, ...rest] = names
  if (name === undefined) {
    return step.op === 'test' && JSON.stringify(target) !== JSON.stringify(step.value)
      ? refused(`the test of ${step.path} failed`)
      : { kind: 'value', value: step.op === 'test' ? target : step.value }
  }
  if (!isObject(target)) return refused(`there is nothing at ${step.path}`)
  const members = new Map(Object.entries(target as JsonObject))
  const before = members.get(name)
  if (rest.length === 0 && step.op === 'remove') {
    if (!members.delete(name)) return refused(`there is nothing at ${step.path}`)
    return { kind: 'value', value: Object.fromEntries(members) }
  }
  if (before === undefined && (rest.length > 0 || step.op !== 'add'))
    return refused(`there is nothing at ${step.path}`)
  const inner = change(before ?? null, rest, step)
  if (inner.kind === 'refused') return inner
  members.set(name, inner.value)
  return { kind: 'value', value: Object.fromEntries(members) }
}

function refused(message: string): Stepped {
  return { kind: 'refused', message }
}
