import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { archiveBundle } from '../../src/authoring/cnab/bundle-tools.ts'
import { exportClaims, importClaims } from '../../src/local/cnab/exchange.ts'
import { allInstallations } from '../../src/local/cnab/installations.ts'
import { carryOut, type Order } from '../../src/local/cnab/orders.ts'
import { inCnabContext } from '../../src/local/cnab/tools.ts'
import { viewInstallation, viewRan } from '../../src/local/cnab/views.ts'
import { toProblem } from '../../src/model/problem.ts'
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
  const { parameters } = helloBundle() as { readonly parameters: { readonly fail: object } }
  const changed = {
    name: 'parent',
    // What is undone is not told to fail.
    parameters: { ...parameters, fail: { ...parameters.fail, applyTo: ['install', 'upgrade'] } },
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

/** Hears what runs print. */
function listening() {
  const heard = { log: '' }
  const listener = {
    signal: new AbortController().signal,
    log: ({ bytes, stream }: { readonly bytes: Uint8Array; readonly stream: string }) => {
      if (stream === 'stdout') heard.log += Buffer.from(bytes).toString()
      return Promise.resolve()
    },
    progress: () => undefined,
  }
  return { heard, listener }
}

function order(installation: string, action: string, more: Partial<Order> = {}): Order {
  const options = { dependencies: { store: child } }
  return { installation, namespace: '', action, given: {}, options, force: false, ...more }
}

function codeOf(failing: Promise<unknown>): Promise<string> {
  return failing.then(
    () => 'none',
    (error: unknown) => toProblem(error).code,
  )
}

const credentialSets = [join(home, 'creds.yml')]

describe.skipIf(missing !== undefined)('what a bundle depends on', () => {
  test('is installed before it and uninstalled after it, with values of its own', async () => {
    const { heard, listener } = listening()

    const states = await inCnabContext(join(home, 'data'), 'embedded', async (room) => {
      const given = { port: { typed: '1' }, 'store#port': { typed: '2' } }
      const install = order('top', 'install', { reference: parent, credentialSets, given })
      await carryOut(room, install, listener)
      await carryOut(room, order('top', 'uninstall'), listener)
      return await Promise.all(['top', 'top-store'].map((name) => viewInstallation(room, name)))
    })

    expect(heard.log.match(/\w+ of [\w-]+: port=\d/g)).toEqual([
      'install of top-store: port=2',
      'install of top: port=1',
      'uninstall of top: port=1',
      'uninstall of top-store: port=2',
    ])
    expect(states.map(({ state }) => state)).toEqual(['uninstalled', 'uninstalled'])
  }, 60_000)

  test('is uninstalled again when its parent fails, which says why and can be installed anew', async () => {
    const { heard, listener } = listening()
    const failing = { fail: { typed: 'true' } }

    const told = await inCnabContext(join(home, 'undone'), 'embedded', async (room) => {
      const install = order('top', 'install', { reference: parent, credentialSets })
      const failed = viewRan(await carryOut(room, { ...install, given: failing }, listener))
      const before = heard.log
      const states = await Promise.all(['top', 'top-store'].map((name) => viewInstallation(room, name)))
      const again = viewRan(await carryOut(room, { ...install, anew: true }, listener))
      return { failed, before, states: states.map(({ state }) => state), again }
    })

    expect(told.before.match(/\w+ of top[\w-]*/g)).toEqual([
      'install of top-store',
      'install of top',
      'uninstall of top',
      'uninstall of top-store',
    ])
    expect(told.failed).toMatchObject({ status: 'failed', message: expect.stringContaining('exit code: 7') })
    expect(told.states).toEqual(['uninstalled', 'uninstalled'])
    expect(told.again.status).toBe('succeeded')
  }, 60_000)

  test('shares its name with no other installation, and its bundle is chosen by its parent', async () => {
    const { listener } = listening()

    const codes = await inCnabContext(join(home, 'shared'), 'embedded', async (room) => {
      const alone = order('one-store', 'install', { reference: child, credentialSets })
      const install = order('one', 'install', { reference: parent, credentialSets })
      await carryOut(room, alone, listener)
      const shared = await codeOf(carryOut(room, install, listener))
      const names = (await allInstallations(room.house)).map(({ instance }) => instance.instance)
      await carryOut(room, { ...install, installation: 'two' }, listener)
      const other = { ...alone, installation: 'two-store', force: true }
      return [shared, names, await codeOf(carryOut(room, other, listener))]
    })

    expect(codes).toEqual(['cnab.installation.state', ['one-store'], 'cnab.installation.state'])
  }, 60_000)

  test('goes with its parent when both are taken over from the store of another tool', async () => {
    const { heard, listener } = listening()
    const store = join(home, 'store')
    mkdirSync(store)
    await inCnabContext(join(home, 'before'), 'embedded', async (room) => {
      await carryOut(room, order('top', 'install', { reference: parent, credentialSets }), listener)
      await exportClaims(room, store, [])
    })
    heard.log = ''

    const shown = await inCnabContext(join(home, 'after'), 'embedded', async (room) => {
      const { moved } = await importClaims(room, store)
      const states = await Promise.all(['top', 'top-store'].map((name) => viewInstallation(room, name)))
      await carryOut(room, order('top', 'upgrade', { reference: parent, credentialSets }), listener)
      await carryOut(room, order('top', 'uninstall'), listener)
      return {
        moved: moved.map(({ installation }) => installation),
        states: states.map(({ state }) => state),
      }
    })

    expect(shown).toEqual({ moved: ['top', 'top-store'], states: ['installed', 'installed'] })
    expect(heard.log.match(/\w+ of top[\w-]*/g)).toEqual([
      'upgrade of top-store',
      'upgrade of top',
      'uninstall of top',
      'uninstall of top-store',
    ])
  }, 60_000)
})
