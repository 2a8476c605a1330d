/** A broker that is killed while a package works: the run goes on, its end is told as it was, and nothing is run twice. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answer, offeringOn, Platform } from '../cnab/platform.ts'
import { makeRandom } from '../simulation/world.ts'
import { configuration, newFolder } from '../support/broker.ts'
import { type BrokerProcess, startBrokerProcess } from '../support/broker-process.ts'
import { ensurePrograms } from '../support/debian.ts'
import { componentIn, componentName, executorRef } from './component.ts'

const missing = ensurePrograms('busybox')

/** Each run puts out an identity of its own; how it ends and how long it takes stands in its parameters. */
const slow = {
  run: `
id=$(od -An -N8 -tx1 /dev/urandom | tr -d ' \\n')
echo "begin $id"
sleep $(sed -n 's/^pause: //p' /toi/inputs/parameters)
printf '%s' "$1 \${2##*:} $id" > /toi/outputs/id
exit $(sed -n 's/^status: //p' /toi/inputs/parameters)
`,
  package: {
    executors: [
      {
        actions: ['install', 'update', 'uninstall', 'rotate', 'bind', 'unbind'],
        resourceRef: executorRef,
        outputs: { id: 'id' },
      },
    ],
    configTemplate: { status: 0, pause: 0 },
  },
}

interface World {
  platform(): Platform
  /** Starts the broker again with this version in its catalog. */
  offer(version: string): Promise<void>
  /** Kills the broker, and starts it again. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** A component in two versions, and a broker in a process of its own that offers the first. */
async function world(): Promise<World> {
  const home = newFolder()
  for (const version of ['1.0.0', '2.0.0']) await componentIn(join(home, 'component'), { ...slow, version })
  const config = join(home, 'chandler.yml')
  const write = (version: string): void => {
    const reference = `ocm:${join(home, 'component/ctf')}//${componentName}:${version}`
    writeFileSync(config, offeringOn([{ package: reference }])(configuration()))
  }
  write('1.0.0')
  const start = (): Promise<BrokerProcess> => startBrokerProcess({ dataDir: join(home, 'data'), config })
  let broker = await start()
  const again = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    await broker.end(signal)
    broker = await start()
  }
  return {
    platform: () => new Platform({ url: broker.url, logLines: [] }),
    offer: (version) => {
      write(version)
      return again('SIGTERM')
    },
    kill: () => again('SIGKILL'),
    close: async () => {
      await broker.end('SIGTERM')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

interface Case {
  readonly name: string
  readonly order: (platform: Platform, instance: string) => Promise<Answer>
  readonly state: 'succeeded' | 'failed'
  /** What the run has put out: the action and the version. */
  readonly said?: string
  /** The version that the instance is of afterwards; absent: it is gone. */
  readonly version?: string
}

const failing = { status: 4 }
const cases: readonly Case[] = [
  {
    name: 'update',
    order: (platform, instance) => platform.update(instance, 'default', { more: 1 }),
    state: 'succeeded',
    said: 'update 1.0.0',
    version: '1.0.0',
  },
  {
    name: 'failing-update',
    order: (platform, instance) => platform.update(instance, 'default', failing),
    state: 'failed',
    said: 'update 1.0.0',
    version: '1.0.0',
  },
  {
    name: 'upgrade',
    order: (platform, instance) => platform.update(instance, 'default', {}, '2.0.0'),
    state: 'succeeded',
    said: 'update 2.0.0',
    version: '2.0.0',
  },
  {
    name: 'failing-upgrade',
    order: (platform, instance) => platform.update(instance, 'default', failing, '2.0.0'),
    state: 'failed',
    said: 'update 2.0.0',
    version: '1.0.0',
  },
  {
    name: 'bind',
    order: (platform, instance) => platform.bind(instance, 'b1', 'default'),
    state: 'succeeded',
    said: 'install 1.0.0',
    version: '1.0.0',
  },
  {
    name: 'uninstall',
    order: (platform, instance) => platform.remove(instance, 'default'),
    state: 'succeeded',
  },
]

/** How often a run of an operation has begun. */
async function begun(platform: Platform, operation: string): Promise<number> {
  return ((await platform.log(operation)).match(/begin/g) ?? []).length
}

async function untilBegun(platform: Platform, operation: string): Promise<void> {
  while ((await begun(platform, operation)) === 0) await new Promise((resolve) => setTimeout(resolve, 50))
}

function pathOf(instance: string, name: string): string {
  return name === 'bind' ? `${instance}/service_bindings/b1` : instance
}

describe.skipIf(missing !== undefined)('kill -9', () => {
  test.concurrent.each([
    ['that succeeds', 0, 'succeeded'],
    ['that fails', 4, 'failed'],
  ])('during an install %s: the next start tells how it went, and it ran once', async (_, status, state) => {
    const { platform, kill, close } = await world()
    try {
      const ordered = await platform().provision('i1', 'default', { status, pause: 2 })
      const operation = String(ordered.body['operation'])
      await untilBegun(platform(), operation)
      await kill()

      expect(await platform().end('i1', ordered)).toMatchObject({ state })
      expect(await begun(platform(), operation)).toBe(1)
      expect((await platform().outputs('i1'))['id']).toMatch(/^install 1.0.0 [0-9a-f]{16}$/)
      // Its executor ends as its parameters say, and these are those of the install.
      expect(await platform().end('i1', await platform().remove('i1', 'default'))).toMatchObject({ state })
    } finally {
      await close()
    }
  })

  test('during what comes after an install: it ends as it went and ran once, and what was kept still is', async () => {
    const { platform, offer, kill, close } = await world()
    try {
      const installs = cases.map(({ name }) => platform().provision(name, 'default', { pause: 2 }))
      for (const [i, { name }] of cases.entries()) {
        const installed = await installs[i]
        if (installed !== undefined) await platform().end(name, installed)
      }
      await offer('2.0.0')
      for (const { name, order, state, said, version } of cases) {
        const ordered = await order(platform(), name)
        expect(ordered.status, `${name}: ${JSON.stringify(ordered.body)}`).toBe(202)
        const operation = String(ordered.body['operation'])
        await untilBegun(platform(), operation)
        await kill()

        const path = pathOf(name, name)
        expect((await platform().end(path, ordered)).state, name).toBe(state)
        expect(await begun(platform(), operation), name).toBe(1)
        const { status, body } = await platform().ask(
          'GET',
          `/api/v1/instances/platform/${name}`,
          undefined,
          'admin',
        )
        if (version === undefined) expect([404, 'gone'], name).toContain(status === 404 ? 404 : body['state'])
        else {
          expect(body, name).toMatchObject({ state: 'ready', maintenance: version })
          expect((await platform().outputs(name))['id'], name).toContain(said)
        }
      }
    } finally {
      await close()
    }
  })

  test('at any moment of a life: each order ends as if nothing had happened, and ran once', async () => {
    const { platform, offer, kill, close } = await world()
    const random = makeRandom(Number(process.env['CHAOS_SEED'] ?? 19))
    const orders: readonly (readonly [name: string, order: (at: Platform) => Promise<Answer>])[] = [
      ['provision', (at) => at.provision('i1', 'default', { more: 1 })],
      ['update', (at) => at.update('i1', 'default', { more: 2 })],
      ['upgrade', (at) => at.update('i1', 'default', {}, '2.0.0')],
      ['bind', (at) => at.bind('i1', 'b1', 'default')],
      ['bind', (at) => at.remove('i1/service_bindings/b1', 'default')],
      ['deprovision', (at) => at.remove('i1', 'default')],
    ]
    try {
      for (const [i, [name, order]] of orders.entries()) {
        if (name === 'upgrade') await offer('2.0.0')
        const ordered = await order(platform())
        expect(ordered.status, `${i} ${name}: ${JSON.stringify(ordered.body)}`).toBe(202)
        await new Promise((resolve) => setTimeout(resolve, random.between(0, 500)))
        await kill()
        const operation = String(ordered.body['operation'])
        const { state } = await platform().end(pathOf('i1', name), ordered)
        expect(state, `${i} ${name}`).toBe('succeeded')
        expect(await begun(platform(), operation), `${i} ${name}`).toBe(1)
      }
    } finally {
      await close()
    }
  })
})
