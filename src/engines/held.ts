/** Whether a process holds a lock: files that processes lock for their life tell that they live. */
import { existsSync } from 'node:fs'
import { run } from './run-program.ts'

/** Whether a process has locked the file. */
export async function isHeld(lock: string): Promise<boolean> {
  return existsSync(lock) && (await run('flock', ['-n', lock, 'true'])).exit === 1
}
