/** Certificate and key from their files, and again when they change. */
import { readFileSync } from 'node:fs'
import { fail } from '../model/problem.ts'
import type { Settings } from '../settings/settings.ts'

export interface Tls {
  readonly cert: string
  readonly key: string
}

/** What the settings name, if they name anything. Problems: file.unreadable. */
export function readTls({ http }: Settings): Tls | undefined {
  const { certificateFile, keyFile } = http.tls
  if (certificateFile === undefined || keyFile === undefined) return undefined
  return { cert: read(certificateFile), key: read(keyFile) }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
}
