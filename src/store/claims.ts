/** What a claim asks for, and how one is named later. */

/** One claim of an operation. */
export interface ClaimMark {
  readonly operation: string
  readonly fence: number
}

export interface ClaimOrder {
  readonly node: string
  readonly epoch: number
  readonly leaseMs: number
  readonly most: number
  /** Running at once over all nodes, per platform. */
  readonly perPlatform: number
  /** Of these operations only; absent: of all. */
  readonly only?: readonly string[]
}
