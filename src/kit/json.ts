/** JSON as a type, and what one asks of it: canonical text, deep equality, pointers. */
import { isExact } from './exact.ts'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Whether a value is a JSON object (and neither null nor a list). */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One text per value: keys in code unit order, no blanks (RFC 8785 for the values JSON.parse can make). */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value) || isExact(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical((value as JsonObject)[key] as Json)}`)
  return `{${members.join(',')}}`
}

/** Equality of two values whatever the order of their keys. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => deepEqual(item, b[i]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
  )
}

/** Appends one step to a JSON pointer (RFC 6901). */
export function pointer(base: string, step: string | number): string {
  return `${base}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The steps of a JSON pointer. */
export function stepsOf(path: string): readonly string[] {
  const steps = path === '' ? [] : path.slice(1).split('/')
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The value at a JSON pointer, or undefined where there is none. */
export function at(value: unknown, path: string): unknown {
  let here = value
  for (const step of stepsOf(path)) {
    if (Array.isArray(here)) here = here[Number(step)]
    else if (isObject(here) && Object.hasOwn(here, step)) here = here[step]
    else return undefined
  }
  return here
}

/** How deep lists and objects are nested; stops counting above the bound. */
export function depth(value: unknown, bound: number): number {
  if (bound <= 0 || typeof value !== 'object' || value === null) return 0
  let deepest = 0
  for (const item of Object.values(value)) deepest = Math.max(deepest, depth(item, bound - 1))
  return deepest + 1
}
