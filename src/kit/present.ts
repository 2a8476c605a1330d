/** Members that are absent rather than undefined. */

/** Leaves out what is absent, so that an optional field is never null or undefined. */
export function present<T extends object>(members: T): Present<T> {
  const kept: Record<string, unknown> = {}
  // A loop, for rows of the store go through here by the thousand.
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name]
  return kept as Present<T>
}

/** The same members; those that may be undefined may be absent instead. */
export type Present<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}
