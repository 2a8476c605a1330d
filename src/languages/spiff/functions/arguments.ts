/** Checks of arguments that many functions share. */
import type { Call } from '../env.ts'
import { failure } from '../issue.ts'
import { type Cell, cellOf, List, type Value } from '../value.ts'

/** Fails unless the number of arguments is within bounds. */
export function count({ args }: Call, least: number, most: number, message: string): void {
  if (args.length < least || args.length > most) failure(message)
}

/** The argument as a string. */
export function text(value: Value | undefined, message: string): string {
  return typeof value === 'string' ? value : failure(message)
}

export function integer(value: Value | undefined, message: string): bigint {
  return typeof value === 'bigint' ? value : failure(message)
}

export function list(value: Value | undefined, message: string): List {
  return value instanceof List ? value : failure(message)
}

/** Strings, integers and booleans as text. */
export function simple(value: Value | undefined): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : undefined
}

/** Cells for values made here. */
export function cells({ env }: Call, values: readonly Value[]): readonly Cell[] {
  env.run.budget.make(values.length)
  return values.map((value) => cellOf(value, env.stand.made))
}

export function newList(call: Call, values: readonly Value[]): List {
  return new List(cells(call, values))
}
