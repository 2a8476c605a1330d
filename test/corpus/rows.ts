/** Help for tables: their rows, and a verdict on two values that must be equal. */
import { deepEqual, isObject, type JsonObject } from '../../src/kit/json.ts'
import type { Verdict } from './topic.ts'

/** A verdict on two values that must be equal. */
export function same(name: string, got: unknown, wanted: unknown): Verdict {
  if (deepEqual(got, wanted)) return { name, outcome: 'passed' }
  return { name, outcome: 'failed', why: `got    ${JSON.stringify(got)}\nwanted ${JSON.stringify(wanted)}` }
}

/** A member of a document that must be a list of objects. */
export function rowsOf(document: JsonObject, member: string): readonly JsonObject[] {
  const rows = document[member]
  return Array.isArray(rows) ? (rows.filter(isObject) as readonly JsonObject[]) : []
}
