import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { archiveBundle, publishBundle } from '../../src/authoring/cnab/bundle-tools.ts'
import { carryOut, endOf, type Order } from '../../src/local/cnab/orders.ts'
import { inCnabContext } from '../../src/local/cnab/tools.ts'
import { viewInstallation, viewOutputs, viewRuns } from '../../src/local/cnab/views.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { startPodman, type TestEngine } from '../support/podman.ts'
import { registryMissing, startRegistry } from '../support/registry.ts'
import { installer, writeHello } from './cli-bundle.ts'

const missing = ensurePrograms('busybox', 'podman', 'runc')
const noRegistry = registryMissing()
const home = freshFolder('cnab-engines')
const archive = join(home, 'hello.tgz')
const before = process.env['DOCKER_HOST']
let podman: TestEngine | undefined

beforeAll(async () => {
  if (missing !== undefined) return
  const sources = join(home, 'sources')
  mkdirSync(sources)
  const { image, file } = await writeHello(sources)
  await inCnabContext(
    join(home, 'author'),
    'none',
    ({
      house: {
        workshop: { artifacts },
      },
    }) =>
      archiveBundle(artifacts, {
        reference: file,
        relocation: { [installer]: image.reference },
        to: archive,
        thin: false,
        compression: 'usual',
        signal: new AbortController().signal,
        progress: () => undefined,
      }),
  )
  // From here on there is nothing but the archive: no layout, no registry.
  rmSync(sources, { recursive: true })
  writeFileSync(
    join(home, 'creds.yml'),
    'name: creds\ncredentials:\n- {name: token, source: {value: t0ken}}\n',
  )
  podman = await startPodman(freshFolder('e'))
  process.env['DOCKER_HOST'] = `unix://${podman.socket}`
})
afterAll(async () => {
  if (before === undefined) delete process.env['DOCKER_HOST']
  else process.env['DOCKER_HOST'] = before
  await podman?.stop()
  rmSync(home, { recursive: true, force: true })
})

function order(action: string, more: Partial<Order> = {}): Order {
  return {
    installation: 'life',
    namespace: '',
    action,
    given: {},
    options: {},
    force: false,
    ...more,
  }
}

interface Heard {
  readonly listener: Parameters<typeof carryOut>[2]
  log(): string
}

function heard(): Heard {
  let log = ''
  return {
    listener: {
      signal: new AbortController().signal,
      log: ({ bytes }) => {
        log += Buffer.from(bytes).toString()
        return Promise.resolve()
      },
      progress: () => undefined,
    },
    log: () => log,
  }
}

describe.skipIf(missing !== undefined).each(['embedded', 'docker'])('on the engine %s', (engine) => {
  test('a thick bundle lives its life straight from the archive, without any registry', async () => {
    const { listener, log } = heard()

    await inCnabContext(join(home, engine), engine, async (room) => {
      const act = async (wanted: Order): Promise<string> =>
        endOf(await carryOut(room, wanted, listener)).status
      const ends = [
        await act(order('install', { reference: archive, credentialSets: [join(home, 'creds.yml')] })),
        await act(order('upgrade', { given: { port: { typed: '9999' } } })),
        await act(order('status')),
        await act(order('uninstall')),
      ]
      const view = await viewInstallation(room, 'life')
      const runs = await viewRuns(room, 'life')
      const outputs = Object.fromEntries(
        (await viewOutputs(room, 'life')).map(({ name, bytes }) => [
          name,
          Buffer.from(bytes).toString('latin1'),
        ]),
      )

      expect(ends).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded'])
      expect(view.state).toBe('uninstalled')
      expect(runs).toHaveLength(4)
      expect(outputs).toEqual({
        state: '\0\u00ffuninstall',
        status: '{"status":"Ready"}\n',
        url: 'http://life:9999',
      })
    })

    expect(log()).toContain('install of life: port=8080')
    expect(log()).toContain('upgrade of life: port=9999')
    expect(log()).toContain('a word on standard error')
    expect(log()).not.toContain('relocated')
  })
})

test.skipIf(missing !== undefined || noRegistry !== undefined)(
  'a bundle from a registry is told where its images are, and is upgraded when the registry is gone',
  async () => {
    const registry = await startRegistry()
    const { listener, log } = heard()
    const to = `docker://${registry.host}/team/hello`
    await inCnabContext(
      join(home, 'publisher'),
      'none',
      ({
        house: {
          workshop: { artifacts },
        },
      }) => publishBundle(artifacts, { reference: archive, to, force: false, ...listener }),
    )

    await inCnabContext(join(home, 'puller'), 'embedded', async (room) => {
      const act = (wanted: Order) => carryOut(room, wanted, listener)
      const reference = `${to}:v1.0.0`
      await act(order('install', { reference, credentialSets: [join(home, 'creds.yml')] }))
      await registry.stop()
      const ran = await act(order('upgrade', { given: { port: { typed: '7' } } }))

      expect(endOf(ran).status).toBe('succeeded')
    })

    expect(log().match(/relocated/g)).toHaveLength(2)
  },
  120_000,
)
