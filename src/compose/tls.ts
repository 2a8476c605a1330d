/** Certificate and key from their files, and again when they change. */
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { fail } from '../model/problem.ts'
import type { Settings } from '../settings/settings.ts'

export interface Tls {
  readonly cert: string
  readonly key: string
  /** Whose certificates of clients are taken, and whether every client must have one. */
  readonly clients?: { readonly ca: string; readonly required: boolean }
}

/** What the settings name, if they name anything, and it can be served. Problems: file.unreadable, settings.invalid. */
export function readTls({ http }: Settings): Tls | undefined {
  const { certificateFile, keyFile, clientCaFile, clientCertificates } = http.tls
  if (certificateFile === undefined || keyFile === undefined) return undefined
  const clients = clientCaFile && { ca: read(clientCaFile), required: clientCertificates === 'require' }
  const tls = { cert: read(certificateFile), key: read(keyFile), ...(clients ? { clients } : {}) }
  try {
    createSecureContext({ ...tls, ...(clients ? { ca: clients.ca } : {}) })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'not understood'
    fail(
      'settings.invalid',
      `http.tls: ${certificateFile} and ${keyFile} are no certificate with its key: ${why}`,
      {
        cause,
      },
    )
  }
  return tls
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
}
