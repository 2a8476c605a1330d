/** Which programs this host has: on the path of this process. */
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Whether a program of this name can be run. */
export function hasProgram(name: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => folder !== '' && canRun(join(folder, name)))
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
