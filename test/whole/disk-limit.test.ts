/** A package that fills its disk: its operation ends by a problem that says so, with figures, and its files are gone. */
import { execFile } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { offering, Platform } from '../cnab/platform.ts'
import { passwords } from '../support/broker.ts'
import { busyboxImage } from '../support/busybox.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'

const missing = ensurePrograms('busybox')
const mebibyte = 1024 * 1024

const pattern = `#!/bin/sh
case $1 in
  metadata) cat /metadata.yml ;;
  provision) echo filling; while cat /dev/zero >>/big; do :; done; exit 1 ;;
esac
`

test.skipIf(missing !== undefined)('a package that fills its disk is ended for that', async () => {
  const folder = freshFolder('filling')
  const metadata = { pattern: 'tweed/v1', name: 'filling', version: '1.0.0' }
  const image = await busyboxImage(folder, 'filling', {
    tree: { 'metadata.yml': stringify(metadata), pattern: { bytes: pattern, mode: 0o755 } },
    settings: { entrypoint: ['/pattern'] },
  })
  const options = { diskBytes: 200 * mebibyte }
  const plans = [{ name: 'only', from: 'default' }]
  const entries = [{ package: image.reference, contract: 'tweed', options, plans }]
  const broker = await offering(entries)
  try {
    const platform = new Platform(broker)
    const ended = await platform.end('i1', await platform.provision('i1', 'only', {}))
    const shown = await show(broker.url)

    expect(ended).toMatchObject({ state: 'failed', description: expect.stringContaining('disk limit') })
    expect(shown).toMatch(/^RUN +ENGINE +MEMORY +PROCESSOR +DISK +LOG$/m)
    expect(shown).toMatch(/^0, attempt 1 +embedded +\S.* 200 MiB +\d+ B$/m)
    // What is thrown away is removed in the background.
    const left = () =>
      readdirSync(broker.folder, { recursive: true }).filter((path) => /\/big$/.test(String(path)))
    await expect.poll(left).toEqual([])
  } finally {
    await broker.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

async function show(server: string): Promise<string> {
  const { PATH, HOME } = process.env
  const env = {
    PATH,
    HOME,
    CHANDLER_SERVER: server,
    CHANDLER_USER: 'admin',
    CHANDLER_PASSWORD: passwords.admin,
  }
  const program = ['bin/chandler.mjs', 'operation', 'show', 'i1']
  return (await promisify(execFile)(process.execPath, program, { env })).stdout
}
