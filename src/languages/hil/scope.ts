/** What an expression can see: variables and functions, handed in by the caller. */
import type { Json } from '../../kit/json.ts'
import type { Budget } from './budget.ts'
import { fromJson, type Type, type Value } from './values.ts'

export interface HilFunction {
  readonly args: readonly Type[]
  /** The type of all further arguments, if there may be any. */
  readonly variadic?: Type
  readonly returns: Type
  /** One sentence for the documentation. */
  readonly doc: string
  run(args: readonly Value[], budget: Budget): Value
}

export type Functions = ReadonlyMap<string, HilFunction>

export interface Scope {
  readonly functions: Functions
  variable(name: string): Value | undefined
}

/** A scope over JSON variables, each converted when it is first asked for. */
export function jsonScope(variables: { readonly [name: string]: Json }, functions: Functions): Scope {
  const known = new Map<string, Value>()
  return {
    functions,
    variable(name) {
      const before = known.get(name)
      if (before !== undefined || !Object.hasOwn(variables, name)) return before
      const value = fromJson(variables[name] ?? null)
      known.set(name, value)
      return value
    },
  }
}
