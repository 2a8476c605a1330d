/** The program as an installed package has it: the bundle and its starter, without sources. */
import { spawnSync } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './broker.ts'

/** What the run of all tests has built before; absent: somebody works on a file, and what it needs is built anew. */
export const builtBefore = process.env['CHANDLER_TEST_BUILT']

/** Lays it out, built if need be; answers the path to start it with. */
export function installedProgram(): string {
  const folder = newFolder()
  if (builtBefore === undefined) {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/build.ts', join(folder, 'dist')])
    if (status !== 0) throw new Error(String(stderr))
  } else cpSync(builtBefore, join(folder, 'dist'), { recursive: true })
  cpSync('bin', join(folder, 'bin'), { recursive: true })
  // Where npm installs programs, its Node is beside them.
  symlinkSync(process.execPath, join(folder, 'bin', 'node'))
  cpSync('package.json', join(folder, 'package.json'))
  return join(folder, 'bin', 'chandler.mjs')
}
