/** Takes over a renewed certificate: files are looked at now and then, for whoever renews them tells nobody. */
import { X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
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
  readonly everyMs?: number
}

export interface CertificateWatch {
  stop(): Promise<void>
}

/** Starts looking; without TLS there is nothing to look at. */
export function startCertificateWatch(parts: CertificateWatchParts): CertificateWatch {
  const { clock, log, everyMs = 30_000 } = parts
  const leaving = new AbortController()
  let seen = stamp(parts.settings())
  tellEnd(parts)
  const running = (async () => {
    while (!leaving.signal.aborted) {
      await clock.sleep(everyMs, leaving.signal)
      if (leaving.signal.aborted) return
      const now = stamp(parts.settings())
      if (now === seen) continue
      // Files that do not fit each other are half of a change: the next look sees the rest.
      try {
        takeOver(parts)
        seen = now
        log.info('certificate.renewed', 'The certificate was read again')
      } catch (error) {
        log.warn('certificate.refused', 'The certificate was not taken over', { error })
      }
    }
  })()
  return {
    async stop() {
      leaving.abort()
      await running
    },
  }
}

function takeOver(parts: CertificateWatchParts): void {
  const tls = readTls(parts.settings())
  if (tls === undefined) return
  createSecureContext(tls)
  parts.renew(tls)
  tellEnd(parts)
}

function tellEnd({ settings, endsAt }: CertificateWatchParts): void {
  const tls = readTls(settings())
  if (tls) endsAt(Date.parse(new X509Certificate(tls.cert).validTo) / 1000)
}

/** What tells one version of the files from another. */
function stamp({ http }: Settings): string {
  const { certificateFile, keyFile } = http.tls
  return JSON.stringify(
    [certificateFile, keyFile].map((file) => {
      const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })
      return [file, found?.mtimeMs, found?.size, found?.ino]
    }),
  )
}
