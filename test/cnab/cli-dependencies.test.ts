import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archiveBundle } from '../../src/authoring/cnab/bundle-tools.ts'
import { carryOut, type Order } from '../../src/local/cnab/orders.ts'
import { inCnabContext } from '../../src/local/cnab/tools.ts'
import { viewInstallation } from '../../src/local/cnab/views.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { helloBundle, installer, writeHello } from './cli-bundle.ts'

const missing = ensurePrograms('busybox')
const home = freshFolder('cnab-dependencies')
const parent = join(home, 'parent.tgz')
const child = join(home, 'child.tgz')

beforeAll(async () => {
  if (missing !== undefined) return
  const sources = join(home, 'sources')
  mkdirSync(sources)
  const { image, file } = await writeHello(sources)
  const wide = join(sources, 'parent.json')
  const requires = { store: { bundle: 'chandler.example/tests/store:1.0.0' } }
  const changed = {
    name: 'parent',
    custom: { 'io.cnab.dependencies': { requires } },
    requiredExtensions: ['io.cnab.dependencies'],
  }
  writeFileSync(wide, JSON.stringify(helloBundle(changed)))
  await inCnabContext(
    join(home, 'author'),
    'none',
    async ({
      house: {
        workshop: { artifacts },
      },
    }) => {
      for (const [reference, to] of [
        [file, child],
        [wide, parent],
      ] as const)
        await archiveBundle(artifacts, {
          reference,
          relocation: { [installer]: image.reference },
          to,
          thin: false,
          compression: 'fastest',
          signal: new AbortController().signal,
          progress: () => undefined,
        })
    },
  )
  rmSync(sources, { recursive: true })
  writeFileSync(
    join(home, 'creds.yml'),
    'name: creds\ncredentials:\n- {name: token, source: {value: t0ken}}\n',
  )
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

test.skipIf(missing !== undefined)(
  'what a bundle depends on is installed before it and uninstalled after it, with values of its own',
  async () => {
    let log = ''
    const listener = {
      signal: new AbortController().signal,
      log: ({ bytes, stream }: { readonly bytes: Uint8Array; readonly stream: string }) => {
        if (stream === 'stdout') log += Buffer.from(bytes).toString()
        return Promise.resolve()
      },
      progress: () => undefined,
    }
    const order = (action: string, more: Partial<Order> = {}): Order => ({
      installation: 'top',
      namespace: '',
      action,
      given: {},
      options: { dependencies: { store: child } },
      force: false,
      ...more,
    })

    const states = await inCnabContext(join(home, 'data'), 'embedded', async (room) => {
      const given = { port: { typed: '1' }, 'store#port': { typed: '2' } }
      const credentialSets = [join(home, 'creds.yml')]
      await carryOut(room, order('install', { reference: parent, credentialSets, given }), listener)
      await carryOut(room, order('uninstall'), listener)
      return await Promise.all(['top', 'top-store'].map((name) => viewInstallation(room, name)))
    })

    expect(log.match(/\w+ of [\w-]+: port=\d/g)).toEqual([
      'install of top-store: port=2',
      'install of top: port=1',
      'uninstall of top: port=1',
      'uninstall of top-store: port=2',
    ])
    expect(states.map(({ state }) => state)).toEqual(['uninstalled', 'uninstalled'])
  },
  60_000,
)
