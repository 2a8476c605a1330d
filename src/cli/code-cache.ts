/** Keeps what Node has compiled of this program, so that the next command need not compile it again. */
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** In a folder of this user alone: a user who can write there decides what runs. Does nothing where there is none. */
export function keepCompiled(): void {
  const caches = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  enableCompileCache(join(caches, 'chandler', 'code'))
}
