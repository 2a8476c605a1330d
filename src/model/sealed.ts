/** Whose secrets are sealed: every sealed thing has an owner, and goes with it. */
import type { BindingKey, InstanceKey } from './instance.ts'

export type SealedOwner =
  | `instance/${string}/${string}`
  | `binding/${string}/${string}/${string}`
  | `operation/${string}`
  | `run/${string}`
  | `package/${string}`
  | `enrolment/${string}`

/** Bytes of a log that are not shown. They are sealed apart, so that a secret that is learned later is found in what was printed. */
export interface HiddenBytes {
  /** Where the mark stands among the shown bytes, and its length: none where it stands in an earlier piece. */
  readonly at: number
  readonly mark: number
  readonly bytes: Uint8Array
}

/** Names the owner of an instance's sealed things; ids may hold any character. */
export function ownerOfInstance(key: InstanceKey): SealedOwner {
  return `instance/${encodeURIComponent(key.platform)}/${encodeURIComponent(key.instance)}`
}

/** Names the owner of a binding's sealed things. */
export function ownerOfBinding(key: BindingKey): SealedOwner {
  return `binding/${encodeURIComponent(key.platform)}/${encodeURIComponent(key.instance)}/${encodeURIComponent(key.binding)}`
}
