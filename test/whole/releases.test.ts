/** Data that each release made, opened by this one: nothing of it is lost, and everything goes on. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { basic, configuration, newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'

const fixtures = 'test/fixtures/releases'
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
const changelog = readFileSync('CHANGELOG.md', 'utf8')
const cut = [...changelog.matchAll(/^## (\d+\.\d+\.\d+), \d{4}-\d\d-\d\d$/gm)].map(([, one]) => one ?? '')

const mayUpdate = process.env['UPDATE_EXPECTED'] === '1' && process.env['CI'] === undefined

/** What a fixture tells of its data. */
interface Expected {
  readonly credentials: object
}

test('the changelog is cut at each release, the newest first, and its data is kept', async () => {
  if (mayUpdate && !existsSync(join(fixtures, version))) await makeFixture(join(fixtures, version))

  expect(cut[0]).toBe(version)
  expect(readdirSync(fixtures).toSorted()).toEqual(cut.toSorted())
})

test.each(cut)('data of %s are opened, read, changed and deleted', async (release) => {
  const fixture = join(fixtures, release)
  const expected = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as Expected
  const broker = await startTestBroker('', unpacked(fixture), () =>
    readFileSync(join(fixture, 'chandler.yml'), 'utf8'),
  )
  onTestFinished(() => broker.stop())
  const states = async (): Promise<unknown> =>
    (await json(broker, '/api/v1/instances', { as: basic('admin') }))['items'] as readonly object[]

  expect(await states()).toMatchObject([
    { id: 'failed', state: 'failed' },
    { id: 'ready', state: 'ready', plan: { name: 'small' } },
  ])
  expect(await json(broker, '/v2/service_instances/ready/service_bindings/app')).toMatchObject({
    credentials: expected.credentials,
  })
  expect(await json(broker, '/v2/service_instances/ready')).toMatchObject({ parameters: { size: 3 } })
  expect(await json(broker, '/api/v1/audit/verify', { as: basic('admin') })).toMatchObject({ intact: true })
  const { items } = await json(broker, '/api/v1/operations?instance=failed', { as: basic('admin') })
  expect(items).toMatchObject([{ action: 'provision', state: 'failed' }])

  const large = { ...ids(broker), plan_id: broker.broker.catalog().offers[1]?.plan.id }
  await order(broker, 'ready', { method: 'PATCH', body: large })
  await order(broker, 'ready/service_bindings/app', { method: 'DELETE' })
  for (const instance of ['ready', 'failed']) await order(broker, instance, { method: 'DELETE' })
  expect(await states()).toMatchObject([{ state: 'gone' }, { state: 'gone' }])
  // Records of before name less; the chain goes on over them.
  expect(await json(broker, '/api/v1/audit/verify', { as: basic('admin') })).toMatchObject({ intact: true })
})

/** A data folder as that release left it, and its configuration. */
function unpacked(fixture: string): string {
  const folder = newFolder()
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  cpSync(join(fixture, 'keys.json'), join(data, 'keys.json'))
  chmodSync(join(data, 'keys.json'), 0o600)
  writeFileSync(join(data, 'chandler.db'), gunzipSync(readFileSync(join(fixture, 'chandler.db.gz'))), {
    mode: 0o600,
  })
  return folder
}

/** Makes the data of this release; kept when it is cut, and never made again. */
async function makeFixture(fixture: string): Promise<void> {
  const folder = newFolder()
  const broker = await startTestBroker('', folder)
  const context = { ...ids(broker), organization_guid: 'organisation', space_guid: 'space' }
  const body = (parameters: object): object => ({ ...context, parameters })
  await order(broker, 'ready', { method: 'PUT', body: body({ size: 3, secret: 'kept-from-readers' }) })
  await order(broker, 'ready/service_bindings/app', { method: 'PUT', body: ids(broker) })
  await order(broker, 'failed', { method: 'PUT', body: body({ sim: { create: { outcome: 'fail' } } }) })
  const { credentials } = await json(broker, '/v2/service_instances/ready/service_bindings/app')
  await broker.broker.stop()
  mkdirSync(fixture, { recursive: true })
  cpSync(join(folder, 'data/keys.json'), join(fixture, 'keys.json'))
  writeFileSync(
    join(fixture, 'chandler.db.gz'),
    gzipSync(readFileSync(join(folder, 'data/chandler.db')), { level: 9 }),
  )
  writeFileSync(join(fixture, 'chandler.yml'), configuration())
  writeFileSync(join(fixture, 'expected.json'), `${JSON.stringify({ credentials }, null, 2)}\n`)
  rmSync(folder, { recursive: true })
}

function ids({ broker }: TestBroker): { readonly service_id: string; readonly plan_id: string } {
  const [offer] = broker.catalog().offers
  return { service_id: offer?.service.id ?? '', plan_id: offer?.plan.id ?? '' }
}

/** Gives an order as a platform does, and follows it to its end. */
async function order(
  broker: TestBroker,
  below: string,
  { method, body }: { readonly method: string; readonly body?: object },
): Promise<void> {
  const query = new URLSearchParams({ ...ids(broker), accepts_incomplete: 'true' })
  const path = `/v2/service_instances/${below}`
  const answer = await ask(broker, `${path}?${query}`, {
    as: basic('platform'),
    method,
    ...(body === undefined ? {} : { body }),
  })
  expect([below, method, answer.status, await answer.text()]).toEqual([
    below,
    method,
    202,
    expect.stringContaining('operation'),
  ])
  const over = async (): Promise<unknown> => {
    const polled = await ask(broker, `${path}/last_operation`, { as: basic('platform') })
    return polled.status === 410 ? 'gone' : ((await polled.json()) as { readonly state: string }).state
  }
  await expect.poll(over).not.toBe('in progress')
}

async function json(
  broker: TestBroker,
  path: string,
  asking: Parameters<typeof ask>[2] = { as: basic('platform') },
): Promise<Record<string, unknown>> {
  return (await (await ask(broker, path, asking)).json()) as Record<string, unknown>
}
