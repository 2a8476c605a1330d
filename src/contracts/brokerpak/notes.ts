/** What the contract remembers of a pak between reading it and running it. */
import type { Package } from '../../model/package.ts'
import type { Definition } from './definition.ts'
import type { Origin } from './dialect.ts'
import type { Installation } from './install.ts'
import type { Manifest } from './manifest.ts'

export interface Notes {
  readonly origin: Origin
  readonly manifest: Manifest
  readonly definitions: readonly Definition[]
  readonly installation: Installation
  /** The engine of the host that was there when the pak was read. */
  readonly hostProgram?: string
  /** Of the archive that holds the programs. */
  readonly digest: string
}

/** The notes of a package that this contract has read. */
export function notesOf(pkg: Package): Notes {
  // Written by packageOf alone.
  return pkg.notes as unknown as Notes
}
