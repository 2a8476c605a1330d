/** Takes over a renewed certificate: files are looked at now and then, for tools that renew them do not tell. */
import { X509Certificate } from 'node:crypto'
import { type FileWatch, startFileWatch } from '../host/file-watch.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Settings } from '../settings/settings.ts'
import { readTls, type Tls } from './tls.ts'

export interface CertificateWatchParts {
  readonly clock: Clock
  readonly log: Log
  /** The settings as they are now. */
  settings(): Settings
  renew(tls: Tls): void
  /** Told when the certificate in use ends, in seconds since 1970. */
  endsAt(seconds: number): void
}

/** Starts looking; without TLS there is nothing to look at. */
export function startCertificateWatch(parts: CertificateWatchParts): FileWatch {
  const { clock, log, settings } = parts
  tellEnd(parts)
  return startFileWatch({
    clock,
    everyMs: 30_000,
    files: () => {
      const { certificateFile, keyFile, clientCaFile } = settings().http.tls
      return [certificateFile, keyFile, clientCaFile].filter((file) => file !== undefined)
    },
    changed: () => {
      takeOver(parts)
      log.info('certificate.renewed', 'The certificate was read again')
    },
    refused: (error) => log.warn('certificate.refused', 'The certificate was not taken over', { error }),
  })
}

function takeOver(parts: CertificateWatchParts): void {
  const tls = readTls(parts.settings())
  if (tls === undefined) return
  parts.renew(tls)
  tellEnd(parts)
}

function tellEnd({ settings, endsAt }: CertificateWatchParts): void {
  const tls = readTls(settings())
  if (tls) endsAt(Date.parse(new X509Certificate(tls.cert).validTo) / 1000)
}
