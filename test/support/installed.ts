/** The program as an installed package has it: the bundle and its starter, without sources. */
import { spawnSync } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './broker.ts'

/** Builds and lays it out; answers the path to start it with. */
export function installedProgram(): string {
  const folder = newFolder()
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.ts', join(folder, 'dist')])
  if (status !== 0) throw new Error(String(stderr))
  cpSync('bin', join(folder, 'bin'), { recursive: true })
  // Where npm installs programs, its Node is beside them.
  symlinkSync(process.execPath, join(folder, 'bin', 'node'))
  cpSync('package.json', join(folder, 'package.json'))
  return join(folder, 'bin', 'chandler.mjs')
}
