/** What is wrong with a document of the model: what kind of fault, where, and what exactly. */

export interface OcmFault {
  readonly kind: 'syntax' | 'required' | 'invalid' | 'duplicate' | 'forbidden'
  /** As the original names fields: `component.resources[1].name`; empty for the document itself. */
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
  /** What to do, where the message does not say it. */
  readonly hint?: string
}

/** A document that was read, or everything that is wrong with it. */
export type OcmReading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'refused'; readonly faults: readonly [OcmFault, ...OcmFault[]] }

/** Turns collected faults into a reading: the value counts only where there are none. */
export function readingOf<T>(value: T, faults: readonly OcmFault[]): OcmReading<T> {
  const [first, ...rest] = faults
  return first === undefined ? { kind: 'read', value } : { kind: 'refused', faults: [first, ...rest] }
}
