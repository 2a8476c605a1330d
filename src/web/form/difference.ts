/** What an update changes: member by member, for words and for the request. */
import { type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { isMap } from './places.ts'
import { same } from './resolve.ts'

export interface Change {
  readonly place: string
  readonly kind: 'added' | 'changed' | 'removed'
  readonly from: Json | undefined
  readonly to: Json | undefined
}

/** Every difference at the smallest place that has a name; lists are told as a whole. */
export function changesBetween(before: JsonObject, next: JsonObject, place = ''): readonly Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(next)])]
  return names.flatMap((name): readonly Change[] => {
    const inner = pointer(place, name)
    const [from, to] = [before, next].map((one) => (Object.hasOwn(one, name) ? one[name] : undefined))
    if (same(from, to)) return []
    if (isMap(from) && isMap(to)) return changesBetween(from, to, inner)
    if (from === undefined) return [{ place: inner, kind: 'added', from, to }]
    return [{ place: inner, kind: to === undefined ? 'removed' : 'changed', from, to }]
  })
}

export interface PatchRules {
  readonly defaults: Readonly<Record<string, Json | undefined>>
  /** Members that every change has to name, whether they change or not. */
  readonly always: readonly string[]
}

/**
 * The members to send so that the broker, which merges the uppermost ones, comes to the new value: a member that was
 * taken away is sent as its default, else as null. Nothing is sent where nothing changes.
 */
export function patchOf(before: JsonObject, next: JsonObject, { defaults, always }: PatchRules): JsonObject {
  if (same(before, next)) return {}
  const changed = Object.entries(next).filter(
    ([name, item]) => always.includes(name) || !same(before[name], item),
  )
  const gone = Object.keys(before)
    .filter((name) => !Object.hasOwn(next, name))
    .map((name): readonly [string, Json] => [name, defaults[name] ?? null])
  return Object.fromEntries([...changed, ...gone])
}
