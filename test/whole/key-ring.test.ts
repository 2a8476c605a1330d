/** The key ring of a broker: made once, never replaced, refused when it is not the one its database was sealed with. */
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemChance } from '../../src/kit/clock.ts'
import { activateKey, addKey, openKeyRing } from '../../src/store/keys.ts'
import { ask } from '../support/ask.ts'
import { basic, newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'
import { startBrokerProcess } from '../support/broker-process.ts'
import { codeOf } from '../support/problems.ts'

interface Ring {
  readonly keys: readonly { readonly id: string; readonly state: string; readonly key: string }[]
}

const starts: readonly {
  readonly found: string
  /** Changes a folder in which a broker has worked and ended. */
  readonly change: (data: string) => void
  readonly code: string
}[] = [
  { found: 'no ring', change: (data) => rmSync(join(data, 'keys.json')), code: 'key.missing' },
  { found: 'the ring of another cluster', change: (data) => putForeign(data), code: 'key.wrong' },
  {
    found: 'the ring of another cluster under the same id',
    change: (data) => putForeign(data, activeOf(data)),
    code: 'key.wrong',
  },
  {
    found: 'a ring that lacks a key in use',
    change: (data) => edit(data, ({ keys }) => ({ keys: keys.filter(({ state }) => state === 'active') })),
    code: 'key.wrong',
  },
  {
    found: 'a ring whose active key was never used, and no other',
    change: (data) => edit(data, ({ keys }) => ({ keys: keys.filter(({ state }) => state !== 'active') })),
    code: 'key.missing',
  },
  { found: 'half a ring', change: (data) => tear(data), code: 'key.missing' },
  {
    found: 'a ring that others can read',
    change: (data) => chmodSync(join(data, 'keys.json'), 0o644),
    code: 'key.exposed',
  },
  {
    found: 'an empty file',
    change: (data) => writeFileSync(join(data, 'keys.json'), ''),
    code: 'key.missing',
  },
]

test.each(starts)('a start that finds $found is refused and writes nothing', async ({ change, code }) => {
  const { folder, data } = await worked()
  change(data)
  const before = contentOf(data)

  const refused = await codeOf(startTestBroker('', folder))

  expect([refused, contentOf(data)]).toEqual([code, before])
})

test('a serve that is refused for its ring ends with 78; one on the right ring goes on', async () => {
  const { folder, data } = await worked()
  cpSync(join(data, 'keys.json'), join(folder, 'kept.json'))
  rmSync(join(data, 'keys.json'))
  const config = join(folder, 'chandler.yml')
  const place = { dataDir: data, config, environment: { CHANDLER_LOGS_LEVEL: 'error' } }

  await expect(startBrokerProcess(place)).rejects.toThrow('the broker ended with 78')

  expect(readdirSync(data)).not.toContain('keys.json')
  cpSync(join(folder, 'kept.json'), join(data, 'keys.json'))
  const again = await startTestBroker('', folder)
  expect(await pageOf(again)).toBe(200)
  await again.stop()
})

test.each([1, 2, 3])(
  'two that start at once on an empty folder: one serves, and what it seals is read by the next (%i)',
  async () => {
    const folder = newFolder()
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const data = join(folder, 'data')
    mkdirSync(data)
    const environment = { CHANDLER_LOGS_LEVEL: 'info', CHANDLER_STORE_CONNECT_TIMEOUT: '0s' }

    const both = await Promise.allSettled(
      [1, 2].map(() => startBrokerProcess({ dataDir: data, environment })),
    )
    const [one, ...more] = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    await one?.end('SIGKILL')
    const next = await startBrokerProcess({ dataDir: data, environment })

    expect(more).toEqual([])
    expect(await next.end('SIGTERM')).toBe(0)
  },
  400_000,
)

test('a ring of another cluster that appears under a running broker is told and not used', async () => {
  const { folder, data } = await worked()
  const running = await startTestBroker('', folder)
  const own = readFileSync(join(data, 'keys.json'))
  putForeign(data)
  const refused = () => running.logLines.some((line) => line.includes('"event":"key.refused"'))
  await expect.poll(refused).toBe(true)
  await order(running, 'i2')
  writeFileSync(join(data, 'keys.json'), own, { mode: 0o600 })
  await running.broker.stop()

  const again = await startTestBroker('', folder)

  expect(await pageOf(again, 'i2')).toBe(200)
  await again.stop()
})

test('a key that somebody else added and activated is taken up while running', async () => {
  const { folder, data } = await worked()
  const running = await startTestBroker('', folder)
  const active = async () => (await keysOf(running)).active

  const added = addKey(join(data, 'keys.json'), systemChance)
  activateKey(join(data, 'keys.json'), added)

  await expect.poll(active).toBe(added)
  await running.stop()
})

test('keys are added, activated and removed, the last only when nothing needs them', async () => {
  const { folder } = await worked()
  const running = await startTestBroker('', folder)
  const call = async (method: string, path: string) => {
    const answer = await ask(running, `/api/v1/keys${path}`, { as: basic('admin'), method })
    const { code } = (await answer.json()) as { readonly code?: string }
    return code ?? answer.status
  }
  const before = await keysOf(running)

  const added = await call('POST', '')
  const fresh = (await keysOf(running)).keys.find(({ id }) => !before.keys.some((one) => one.id === id))?.id
  const early = await call('DELETE', `/${before.active}`)
  const activated = await call('POST', `/${fresh}/activate`)
  const unknown = [await call('DELETE', '/k0'), await call('POST', '/k0/activate')]
  const records = async () => (await keysOf(running)).keys.map((key) => (key.active ? 0 : key.records))
  await expect.poll(records).toEqual([0, 0, 0])
  const removed = await Promise.all(before.keys.map(({ id }) => call('DELETE', `/${id}`)))

  expect([added, early, activated, unknown, removed]).toEqual([
    201,
    'key.in-use',
    202,
    ['key.unknown', 'key.unknown'],
    [200, 200],
  ])
  expect((await keysOf(running)).keys.map(({ id }) => id)).toEqual([fresh])
  expect(await pageOf(running)).toBe(200)
  await running.stop()
})

/** A folder in which a broker sealed with two keys, the older one still needed, and ended. */
async function worked(): Promise<{ readonly folder: string; readonly data: string }> {
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const data = join(folder, 'data')
  const running = await startTestBroker('', folder)
  await order(running, 'i1')
  await running.broker.stop()
  const file = join(data, 'keys.json')
  const added = addKey(file, systemChance)
  activateKey(file, added)
  return { folder, data }
}

async function order(running: TestBroker, id: string): Promise<void> {
  const body = { service: 'alpha-db', plan: 'small', id, parameters: { secret: 'of the test' } }
  const answer = await ask(running, '/api/v1/instances', { as: basic('admin'), method: 'POST', body })
  if (answer.status !== 202) throw new Error(`${id}: ${answer.status} ${await answer.text()}`)
}

/** The status of an instance's page, which cannot be shown unless what it was ordered with can be opened. */
async function pageOf(running: TestBroker, id = 'i1'): Promise<number> {
  const answer = await ask(running, `/api/v1/instances/chandler/${id}`, { as: basic('admin') })
  await answer.body?.cancel()
  return answer.status
}

async function keysOf(running: TestBroker) {
  const answer = await ask(running, '/api/v1/keys', { as: basic('admin') })
  return (await answer.json()) as {
    readonly active: string
    readonly keys: readonly { readonly id: string; readonly active: boolean; readonly records: number }[]
  }
}

function edit(data: string, change: (ring: Ring) => Ring): void {
  const file = join(data, 'keys.json')
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')) as Ring)))
}

function activeOf(data: string): string {
  return openKeyRing(join(data, 'keys.json'), systemChance).active()
}

/** A well-formed ring that never saw this database. */
function putForeign(data: string, id?: string): void {
  const file = join(data, 'keys.json')
  const key = Buffer.from(systemChance.bytes(32)).toString('base64')
  writeFileSync(file, JSON.stringify({ version: 1, keys: [{ id: id ?? 'kforeign', state: 'active', key }] }))
}

function tear(data: string): void {
  const file = join(data, 'keys.json')
  writeFileSync(file, readFileSync(file).subarray(0, 100))
}

/** Every file below a folder by its content. */
function contentOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
    .map((file) => `${file} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`)
}
