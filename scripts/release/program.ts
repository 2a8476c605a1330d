/** The program with its Node in one folder, as packages for whole systems carry it. */
import { copyFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Architecture } from './architectures.ts'
import { nodeFor } from './node-program.ts'
import type { Staged } from './stage.ts'

/** What the program needs when it runs; documents and examples come in addition where people look for them. */
export const programParts = ['bin', 'dist', 'conformance', 'package.json', 'LICENSE', 'NOTICE']

/** Lays out the named parts of a staged program, and `bin/node`. */
export function layOutProgram(
  home: string,
  { folder }: Staged,
  { architecture, parts }: { readonly architecture: Architecture; readonly parts: readonly string[] },
): void {
  for (const part of parts) cpSync(join(folder, part), join(home, part), { recursive: true })
  copyFileSync(nodeFor(architecture), join(home, 'bin/node'))
}
