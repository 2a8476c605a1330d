/** Says what must hold, and stops where it does not: for mistakes of the programmer, never of the world. */

/** Raised when the program contradicts itself. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Stops unless the condition holds. */
export function invariant(condition: unknown, what: string): asserts condition {
  if (!condition) throw new InvariantError(what)
}

/** Closes a switch over a union: the compiler refuses a forgotten case, the program an impossible one. */
export function never(value: never): never {
  throw new InvariantError(`unexpected ${JSON.stringify(value)}`)
}
