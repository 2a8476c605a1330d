/** Reads the columns of a row, and writes values of the model as columns; the one place that knows both sides. */
import { InvariantError } from '../kit/assert.ts'
import type { JsonObject } from '../kit/json.ts'
import type { Row, Value } from './database.ts'

/** A text that is always there. */
export function text(row: Row, column: string): string {
  const value = row[column]
  return typeof value === 'string' ? value : holdsNo(column, 'text')
}

/** A text, or nothing. */
export function maybeText(row: Row, column: string): string | undefined {
  const value = row[column]
  return typeof value === 'string' ? value : undefined
}

/** A number that is always there. */
export function number(row: Row, column: string): number {
  const value = row[column]
  return typeof value === 'number' ? value : holdsNo(column, 'number')
}

/** A number, or nothing. */
export function maybeNumber(row: Row, column: string): number | undefined {
  const value = row[column]
  return typeof value === 'number' ? value : undefined
}

/** Yes, no, or unknown, kept as 1, 0 and null. */
export function maybeFlag(row: Row, column: string): boolean | undefined {
  const value = row[column]
  return typeof value === 'number' ? value === 1 : undefined
}

/** Bytes that are always there. */
export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column]
  return value instanceof Uint8Array ? value : holdsNo(column, 'bytes')
}

/** Rows are read so often that not even the sentence is made before it is needed. */
function holdsNo(column: string, kind: string): never {
  throw new InvariantError(`column ${column} holds no ${kind}`)
}

/** A JSON document that was written by `toJson`; the caller names the type it wrote. */
export function json<T = JsonObject>(row: Row, column: string): T {
  return JSON.parse(text(row, column)) as T
}

/** A JSON document, or nothing. */
export function maybeJson<T = JsonObject>(row: Row, column: string): T | undefined {
  return typeof row[column] === 'string' ? json<T>(row, column) : undefined
}

/** Yes, no, or unknown as a column. */
export function toFlag(value: boolean | undefined): Value {
  if (value === undefined) return null
  return value ? 1 : 0
}

/** A document as a column. */
export function toJson(value: unknown): Value {
  return value === undefined ? null : JSON.stringify(value)
}

/** The type with `undefined` allowed where a property is optional. */
export type Loose<T> = {
  readonly [K in keyof T as object extends Pick<T, K> ? never : K]: T[K]
} & {
  readonly [K in keyof T as object extends Pick<T, K> ? K : never]?: T[K] | undefined
}

/** Leaves out the properties that are undefined, so that absent means absent. */
export function compact<T extends object>(value: Loose<T>): T {
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const item = value[key as keyof typeof value]
    if (item !== undefined) result[key] = item
  }
  return result as T
}
