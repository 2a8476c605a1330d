/** The flags that cells carry, and what they mean together. */
export const flag = {
  temporary: 1,
  local: 2,
  inject: 4,
  state: 8,
  default: 16,
  dynamic: 32,
  injected: 64,
  implied: 128,
  /** Written as `!!binary`, and printed so. */
  binary: 256,
} as const

/** Stub fields that are added downstream, as injection or as default. */
export const addsItself = (flags: number): boolean => (flags & (flag.inject | flag.default)) !== 0
export const onlyDefault = (flags: number): boolean => (flags & (flag.default | flag.inject)) === flag.default
/** Below a default map, and not a default itself: invisible for merging. */
export const isImplied = (flags: number): boolean => (flags & (flag.implied | flag.default)) === flag.implied
/** An overridden default is no default any more, yet it still travels on. */
export const overriddenFlags = (flags: number): number =>
  (onlyDefault(flags) ? (flags | flag.inject) & ~flag.default : flags) & ~flag.binary
