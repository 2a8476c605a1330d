/** One thing in a catalog that a platform would refuse or that is advised against. */

export type Authority = 'specification' | 'cloudfoundry' | 'service-catalog'

export interface Finding {
  /** JSON pointer into the catalog. */
  readonly pointer: string
  readonly message: string
  readonly remedy: string
  /** The platform that would not take the catalog for this. */
  readonly refusedBy: readonly Authority[]
  /** Legal, and yet the specification advises against it or a client stumbles over it. */
  readonly discouraged: boolean
}

export const bothRefuse: readonly Authority[] = ['specification', 'cloudfoundry']

export function refused(
  pointer: string,
  message: string,
  remedy: string,
  refusedBy: readonly Authority[] = bothRefuse,
): Finding {
  return { pointer, message, remedy, refusedBy, discouraged: false }
}

export function discouraged(pointer: string, message: string, remedy: string): Finding {
  return { pointer, message, remedy, refusedBy: [], discouraged: true }
}

/** Cloud Foundry reads null, and false where no boolean belongs, as if the field were not there. */
export function readAsAbsent(value: unknown): boolean {
  return value === null || value === false
}
