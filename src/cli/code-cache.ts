/** Keeps what Node has compiled of this program, so that the next command need not compile it again. */
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** In a folder that only this user can write to, since what lies there is run. Without such a folder nothing is kept. */
export function keepCompiled(): void {
  const caches = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  enableCompileCache(join(caches, 'chandler', 'code'))
}
