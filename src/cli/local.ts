/** Where commands that need no broker keep what they need. */
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The data folder of this user. */
export function localDataDir(): string {
  return join(process.env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'chandler')
}
