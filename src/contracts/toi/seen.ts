/** What was read of a package, for the parts that look for doubts in it. */
import type { ComponentArtifact } from '../../model/artifact.ts'
import type { Place } from '../../model/problem.ts'
import type { Document } from './document.ts'
import type { ExecutorDocument, ExecutorEntry, PackageDocument } from './format.ts'

export interface SeenSpec {
  readonly document: ExecutorDocument
  readonly text: Document
  readonly libraries: Document[]
}

/** An entry, and the specification that it leads to. */
export interface SeenExecutor {
  readonly entry: ExecutorEntry
  isImage?: boolean
  spec?: SeenSpec
}

export interface SeenExample {
  readonly text: Document
}

export type SeenExamples = { configFile?: SeenExample; credentialsFile?: SeenExample }

/** All that was read of a package. */
export interface SeenPackage {
  readonly document: PackageDocument
  readonly text: Document
  readonly libraries: readonly Document[]
  readonly executors: readonly SeenExecutor[]
  readonly examples: SeenExamples
  /** No field of a document is misspelt or of a wrong kind: what fits together can be told. */
  readonly isSure: boolean
}

/** A doubt; where several are told, each has its place named. */
export type Tell = (where: Place, detail: string, hint: string) => void

/** A document with the component that it lies in: what it refers to begins there. */
export interface Placed<T> {
  readonly document: T
  /** The text that it was read from. */
  readonly text: Document
  readonly component: ComponentArtifact
}
