/** A package whose network is its own reaches what its operator lends of the host, by name, and nothing else there. */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { offering, Platform } from '../cnab/platform.ts'
import { busyboxImage } from '../support/busybox.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'

const missing = ensurePrograms('busybox', 'slirp4netns', 'ip', 'nsenter')

async function serving(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => socket.end('hello\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

const patternOf = (places: readonly string[]): string => `#!/bin/sh
case $1 in
  metadata) cat /metadata.yml ;;
  provision)
    for place in ${places.map((place) => `'${place}'`).join(' ')}; do
      nc -w 2 $place </dev/null 2>/dev/null | grep -q hello && echo "reached $place"
    done; echo tried ;;
esac
`

test.skipIf(missing !== undefined)('what a package is lent of the host it finds by name', async () => {
  const folder = freshFolder('lending')
  const [one, other] = await Promise.all([serving(), serving()])
  const places = [`database.test ${one.port}`, `127.0.0.1 ${other.port}`]
  const metadata = { pattern: 'tweed/v1', name: 'lending', version: '1.0.0' }
  const image = await busyboxImage(folder, 'lending', {
    tree: { 'metadata.yml': stringify(metadata), pattern: { bytes: patternOf(places), mode: 0o755 } },
    settings: { entrypoint: ['/pattern'] },
  })
  const plans = [{ name: 'only', from: 'default' }]
  const lend = [`database.test=127.0.0.1:${one.port}`]
  const broker = await offering([{ package: image.reference, contract: 'tweed', lend, plans }])
  try {
    const platform = new Platform(broker)
    const ended = await platform.end('i1', await platform.provision('i1', 'only', {}))
    const { body } = await platform.ask('GET', '/api/v1/operations', undefined, 'admin')
    const [operation] = body['items'] as unknown as readonly { readonly id: string }[]

    expect(ended).toMatchObject({ state: 'succeeded' })
    expect(await platform.log(operation?.id ?? '')).toBe(`reached ${places[0]}\ntried\n`)
  } finally {
    await broker.stop()
    for (const { server } of [one, other]) server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
