/** The world outside, handed in piece by piece; what is absent is denied. */

export interface Ports {
  /** Reading and writing files, for `read`, `write`, `lookup_file` and their kin. */
  readonly files?: Files
  /** Running programs, for `exec` and `pipe`. */
  readonly programs?: Programs
  /** Environment variables, for `env`. */
  readonly environment?: (name: string) => string | undefined
  /** Getting `http:` and `https:` addresses, for `read`. */
  readonly fetch?: (url: string) => Uint8Array
  /** Random bytes, for `rand`, keys and salts. */
  readonly random?: (count: number) => Uint8Array
  /** Milliseconds since 1970, for certificates and `sync`. */
  readonly now?: () => number
  /** Milliseconds that only grow, for the limit of time; the clock of this machine if absent. */
  readonly elapsed?: () => number
  /** Runs something and gives it up in the middle when it takes longer: undefined. A clock is only asked in between. */
  readonly within?: <T extends object>(milliseconds: number, run: () => T) => T | undefined
  /** The default password of `encrypt` and `decrypt`. */
  readonly encryptionKey?: string
}

export interface Files {
  read(path: string): Uint8Array
  kind(path: string): 'file' | 'folder' | undefined
  list(path: string): readonly { readonly name: string; readonly folder: boolean }[]
  write?(path: string, content: Uint8Array, permissions: number): void
  makeFolder?(path: string, permissions: number): void
  /** The name of a new temporary file. */
  temporary?(content: Uint8Array): string
  /** The path with symbolic links resolved. */
  resolve?(path: string): string
}

export interface Programs {
  /** Standard output, or undefined when the program failed. */
  run(command: string, args: readonly string[], input: Uint8Array | undefined): Uint8Array | undefined
}
