/** What the sim engine of a data folder notes: every start of a run, which no restart of a broker forgets. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Has it note them; answers the lines noted so far, those of one operation if it is named. */
export function noteStarts(dataDir: string): (operation?: string) => readonly string[] {
  const file = join(dataDir, 'sim', 'starts.log')
  mkdirSync(join(dataDir, 'sim'), { recursive: true, mode: 0o700 })
  writeFileSync(file, '')
  return (operation = '') =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && line.includes(operation))
}
