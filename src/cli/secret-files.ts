/** Files that hold one secret value each, for settings that name them. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fail } from '../model/problem.ts'

/** For their owner alone; what is there already is not replaced. */
export function writeSecrets(folder: string, secrets: Readonly<Record<string, string>>): void {
  const [wrong] = Object.keys(secrets).filter((name) => name !== basename(name) || /^\.{0,2}$/.test(name))
  if (wrong !== undefined) fail('file.unwritable', `${JSON.stringify(wrong)} is no name of a file`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const there = Object.keys(secrets).filter((name) => existsSync(join(folder, name)))
  if (there.length > 0)
    fail('file.unwritable', `${there.map((name) => join(folder, name)).join(', ')}: there already`)
  for (const [name, value] of Object.entries(secrets))
    writeFileSync(join(folder, name), value, { mode: 0o600, flag: 'wx' })
}
