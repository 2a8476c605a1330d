/** Pages: where the next one starts is told by an opaque text. */
import { fail } from '../model/problem.ts'
import type { Page } from './store.ts'

/** Makes a page of rows that were asked for with one more than wanted. */
export function pageOf<T>(rows: readonly T[], most: number, cursor: (last: T) => string): Page<T> {
  const items = rows.slice(0, most)
  const last = items.at(-1)
  return rows.length > most && last !== undefined ? { items, next: cursor(last) } : { items }
}

/** Writes the sort key of the last item down. */
export function cursorOf(...parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** Reads it again. Problems: request.malformed. */
export function openCursor(
  cursor: string,
  count: number,
): readonly [string, ...string[]] & { readonly 1: string } {
  const parts = parse(cursor)
  if (!Array.isArray(parts) || parts.length !== count || !parts.every((part) => typeof part === 'string'))
    return fail('request.malformed', 'the page marker is not one of ours')
  return parts as unknown as readonly [string, ...string[]] & { readonly 1: string }
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}
