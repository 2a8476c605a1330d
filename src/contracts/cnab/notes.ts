/** What the contract remembers of a bundle between reading it and running it. */
import type { Json } from '../../kit/json.ts'
import type { Package } from '../../model/package.ts'
import type { Bundle } from './bundle.ts'
import { readAgain } from './format.ts'

/** A bundle and where its image is; a text, for what is mounted is what was read, byte for byte. */
export interface KeptBundle {
  readonly text: string
  readonly relocation: Readonly<Record<string, string>>
  /** The invocation image; no digest: it is not known what would be run, so that nothing is. */
  readonly image: { readonly reference: string; readonly digest?: string }
  /** As claims name it. */
  readonly reference: string
}

export interface Dependency extends KeptBundle {
  /** Its name in what needs it; that of a dependency of a dependency after its parent's and a slash. */
  readonly alias: string
}

export interface Notes extends KeptBundle {
  /** Those of dependencies, too, in the order in which they are installed. */
  readonly dependencies: readonly Dependency[]
}

/** The notes of a package that this contract has read. */
export function notesOf({ notes }: Pick<Package, 'notes'>): Notes {
  // Written by packageOf alone.
  return notes as unknown as Notes
}

/** As the package carries them. */
export function notesJson(notes: Notes): Json {
  return notes as unknown as Json
}

/** The bytes that were read. */
export function bytesOf({ text }: KeptBundle): Uint8Array {
  return new TextEncoder().encode(text)
}

/** The text of the bytes, with a byte order mark if there is one: nothing may be lost of it. */
export function exactText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

/** What was kept has been read once without faults. */
export function bundleIn(kept: KeptBundle): Bundle | undefined {
  const reading = readAgain(bytesOf(kept))
  return reading.kind === 'bundle' ? reading.bundle : undefined
}
