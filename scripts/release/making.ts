import type { Architecture } from './architectures.ts'

/** How one file of a release is made. */
export interface Making {
  readonly architecture: Architecture
  /** Path of the file. */
  readonly to: string
  /** The time that everything in it has, in seconds since 1970. */
  readonly builtAt: number
}
