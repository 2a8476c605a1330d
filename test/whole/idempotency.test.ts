/** Every POST of the operator API under one Idempotency-Key: carried out once, answered as then. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { basic, startTestBroker, type TestBroker } from '../support/broker.ts'

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker()
  for (const id of ['a', 'b', 'c', 'd']) {
    await post('/instances', `make-${id}`, { service: 'alpha-db', plan: 'small', id })
  }
})
afterAll(() => running.stop())

async function post(path: string, key: string, body: object = {}) {
  const response = await fetch(`${running.url}/api/v1${path}`, {
    method: 'POST',
    headers: { Authorization: basic('admin'), 'Idempotency-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
}

async function get(path: string) {
  const response = await fetch(`${running.url}/api/v1${path}`, { headers: { Authorization: basic('admin') } })
  return (await response.json()) as { items: Record<string, unknown>[] }
}

test.each<[string, object, object, string]>([
  ['/instances', { service: 'beta-queue' }, { service: 'alpha-db', plan: 'small' }, 'instance.provision'],
  ['/instances/chandler/a/bindings', {}, { id: 'z' }, 'binding.bind'],
  ['/instances/chandler/b/purge', {}, { x: 1 }, 'instance.purge'],
  ['/instances/chandler/c/repin', {}, { x: 1 }, 'instance.repin'],
  ['/freeze', { reason: 'for a test' }, { reason: 'another' }, 'broker.freeze'],
  ['/keys/rotate', {}, { x: 1 }, 'key.rotate'],
  ['/backups', {}, { x: 1 }, 'store.backup'],
])('POST %s is done once', async (path, body, otherBody, action) => {
  const before = await deeds(action)
  const first = await post(path, `once ${path}`.replaceAll(/[^a-z]/g, '-'), body)
  const second = await post(path, `once ${path}`.replaceAll(/[^a-z]/g, '-'), body)
  const other = await post(path, `once ${path}`.replaceAll(/[^a-z]/g, '-'), otherBody)
  const done = (await deeds(action)) - before
  if (path === '/freeze')
    await fetch(`${running.url}/api/v1/freeze`, {
      method: 'DELETE',
      headers: { Authorization: basic('admin') },
    })

  expect(first.status).toBeLessThan(300)
  expect(second).toEqual(first)
  expect(done).toBe(1)
  expect([other.status, other.body['code']]).toEqual([422, 'idempotency.mismatch'])
})

test('the same key of the same order many times at once is one order; the rest hear of it or of its answer', async () => {
  const before = await deeds('instance.provision')
  const wish = { service: 'alpha-db', plan: 'small', id: 'at-once' }
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('/instances', 'at-once', wish)))
  const statuses = new Set(answers.map(({ status }) => status))

  expect((await deeds('instance.provision')) - before).toBe(1)
  expect([...statuses].filter((status) => status !== 202 && status !== 409)).toEqual([])
  expect((await post('/instances', 'at-once', wish)).status).toBe(202)
})

test('what was refused may be asked for again under its key', async () => {
  const missing = await post('/instances/chandler/later/purge', 'later')
  await post('/instances', 'make-later', { service: 'beta-queue', id: 'later' })
  const frozen = await post('/instances/chandler/later/repin', 'later-repin')

  expect(missing.status).toBe(404)
  expect([204, 422]).toContain(frozen.status)
  expect((await post('/instances/chandler/nothing/purge', 'later')).status).toBe(404)
})

test.each([
  ['x'.repeat(255), 202],
  ['x'.repeat(256), 400],
  ['with a blank', 400],
  ['ü', 400],
])('the key %s is answered with %i', async (key, status) => {
  const wish = { service: 'alpha-db', plan: 'small', id: `key-${key.length}` }

  expect((await post('/instances', key, wish)).status).toBe(status)
})

test('whoever reads the same credentials again and again is on record once, and then counted', async () => {
  const { body } = await post('/instances/chandler/d/bindings', 'bind-d')
  const path = `/api/v1/instances/chandler/d/bindings/${String(body['binding'])}/credentials`
  const read = () => fetch(running.url + path, { headers: { Authorization: basic('admin') } })
  await expect.poll(async () => (await read()).status).toBe(200)
  for (let i = 0; i < 20; i++) await read()

  expect(await deeds('binding.read-credentials', 'succeeded')).toBe(1)
})

test('bindings of one name at two instances are two secrets: the reader of both is on record twice', async () => {
  const before = await deeds('binding.read-credentials', 'succeeded')
  for (const instance of ['a', 'd']) {
    await post(`/instances/chandler/${instance}/bindings`, `same-${instance}`, { id: 'same' })
    const path = `/api/v1/instances/chandler/${instance}/bindings/same/credentials`
    const read = () => fetch(running.url + path, { headers: { Authorization: basic('admin') } })
    await expect.poll(async () => (await read()).status).toBe(200)
  }

  expect((await deeds('binding.read-credentials', 'succeeded')) - before).toBe(2)
})

/** How often it was begun or done, by the audit trail. */
async function deeds(action: string, result?: string): Promise<number> {
  const { items } = await get('/audit?limit=500')
  return items.filter(
    (one) =>
      one['action'] === action &&
      (result === undefined
        ? one['result'] !== 'failed' && JSON.stringify(one['actor']).includes('admin')
        : one['result'] === result),
  ).length
}
