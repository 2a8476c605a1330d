/** What the lint says of many folders: a process of its own takes them, as forks of one that runs tests are slow. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PathLint } from '../../src/authoring/sources/lint.ts'

const run = promisify(execFile)

/** What the lint says of each folder, in their order; what it keeps goes below `data`. */
export async function lintsOf(folders: readonly string[], data: string): Promise<readonly PathLint[]> {
  const script = join(import.meta.dirname, 'lint-each.ts')
  const { stdout } = await run(process.execPath, [script, data, ...folders], { maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout) as readonly PathLint[]
}
