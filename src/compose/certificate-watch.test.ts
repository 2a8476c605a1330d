/** A certificate that is renewed on the disk is taken over; half of a change is not. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { loadSettings } from '../settings/load.ts'
import type { Settings } from '../settings/settings.ts'
import { startCertificateWatch } from './certificate-watch.ts'

const missing = spawnSync('openssl', ['version']).status !== 0

function make(folder: string, name: string): void {
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ${name}.key -out ${name}.crt -days 2 -subj /CN=${name}`
  spawnSync('openssl', words.split(' '), { cwd: folder })
}

function settingsIn(folder: string): Settings {
  const loaded = loadSettings({ environment: {}, folder, file: join(folder, 'chandler.yml') })
  if (loaded.kind !== 'settings') throw new Error('no settings')
  const { settings } = loaded
  const pair = { certificateFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') }
  const tls = { ...settings.http.tls, ...pair }
  return { ...settings, http: { ...settings.http, tls } }
}

test.skipIf(missing)('a renewed pair is taken over, and not before both files are there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'))
  for (const name of ['first', 'second']) make(folder, name)
  const put = (name: string, kind: string) =>
    copyFileSync(join(folder, `${name}.${kind}`), join(folder, `tls.${kind}`))
  for (const kind of ['crt', 'key']) put('first', kind)
  writeFileSync(
    join(folder, 'chandler.yml'),
    'auth: {users: [{name: a, password: secret-enough, role: operator}]}',
  )
  const settings = settingsIn(folder)
  const renewed: string[] = []
  const ends: number[] = []
  const events: string[] = []
  // Each look waits for the test to have done its part.
  const looks = [() => put('second', 'crt'), () => put('second', 'key'), () => undefined]
  const finished = Promise.withResolvers<void>()
  const log = new Proxy({} as Log, { get: () => (event: string) => void events.push(event) })
  const watch = startCertificateWatch({
    clock: {
      ...systemClock,
      sleep: async () => {
        const next = looks.shift()
        if (next) return next()
        finished.resolve()
        await new Promise(() => undefined)
      },
    },
    log,
    settings: () => settings,
    renew: ({ cert }) => void renewed.push(cert),
    endsAt: (seconds) => void ends.push(seconds),
  })
  await finished.promise
  void watch.stop()

  expect(events).toEqual(['certificate.refused', 'certificate.renewed'])
  expect(renewed).toEqual([readFileSync(join(folder, 'second.crt'), 'utf8')])
  expect(ends).toHaveLength(2)
  rmSync(folder, { recursive: true, force: true })
})
