/** What jobs name instead of carrying it; compose knows where such things lie. */

export type Supply =
  | {
      readonly kind: 'artifact'
      readonly reference: string
      readonly as: 'transport-archive' | 'folder' | 'blob'
    }
  /** A file of a package's archive; `shared` when it will only be read, so that all callers may have the same. */
  | {
      readonly kind: 'entry'
      readonly digest: string
      readonly entry: string
      readonly shared?: boolean
    }

export interface Supplies {
  /** Writes it to a path where nothing lies yet: a file, or a folder. Problems: those of the artifacts. */
  deliver(what: Supply, to: string, signal: AbortSignal): Promise<void>
}
