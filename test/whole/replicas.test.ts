/** Two brokers on one PostgreSQL: what is begun at one holds at the other, and what is ended at one is refused at once at both. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { accounts, startBrokerProcess } from '../support/broker-process.ts'
import { findPostgres, startPostgres } from '../support/postgres.ts'

const password = 'a-long-password'
const places = ['first', 'second'] as const
type Place = (typeof places)[number]

const undo: (() => unknown)[] = []
const urls = new Map<Place, string>()

describe.skipIf('missing' in findPostgres())('two brokers on one PostgreSQL', () => {
  beforeAll(async () => {
    const server = await startPostgres()
    undo.push(() => server.stop())
    const dataDir = mkdtempSync(join(tmpdir(), 'chandler-replicas-'))
    undo.push(() => rmSync(dataDir, { recursive: true, force: true }))
    const store = await server.database()
    for (const place of places) {
      const environment = { CHANDLER_NODE_NAME: place }
      const broker = await startBrokerProcess({ dataDir, store, environment })
      undo.push(() => broker.end('SIGTERM'))
      urls.set(place, broker.url)
    }
  })
  afterAll(async () => {
    for (const step of undo.toReversed()) await step()
  })

  test.each<[string, (began: Session) => Promise<unknown>]>([
    ['logged out', ({ cookie, csrf }) => at('second', 'DELETE', '/session', { cookie, csrf })],
    ['whose account has another password', () => changed({ password: 'another-password' })],
    ['whose account has other roles', () => changed({ grants: [] })],
    ['that is ended by an administrator', () => changed({ endSessions: true })],
    ['whose account is taken away', () => asOperator('second', 'DELETE', '/accounts/ada')],
  ])('a session %s at one is refused at both', async (_name, end) => {
    await made()
    const session = await begun('first')
    expect(await statuses({ cookie: session.cookie })).toEqual([200, 200])
    await end(session)
    expect(await statuses({ cookie: session.cookie })).toEqual([401, 401])
  })

  test('a cookie that was there before the log-in is not the one that is logged in', async () => {
    await made()
    const planted = await begun('first')
    await at('first', 'DELETE', '/session', planted)
    const session = await begun('second', planted.cookie)

    expect(session.cookie).not.toBe(planted.cookie)
    expect(await statuses({ cookie: planted.cookie })).toEqual([401, 401])
    expect(await statuses({ cookie: session.cookie })).toEqual([200, 200])
  })

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['that is revoked', (id) => asOperator('second', 'DELETE', `/tokens/${id}`)],
    ['whose account is taken away', () => asOperator('second', 'DELETE', '/accounts/ada')],
  ])('a token %s at one is refused at both', async (_name, end) => {
    await made()
    const answer = await at('first', 'POST', '/tokens', { authorization: basic(), body: { name: 'ci' } })
    const { id, token } = answer.body as { readonly id: string; readonly token: string }
    const authorization = `Bearer ${token}`
    expect(await statuses({ authorization })).toEqual([200, 200])
    await end(id)
    expect(await statuses({ authorization })).toEqual([401, 401])
  })

  test('a password that was changed at one opens neither of them, and the new one both', async () => {
    await made()
    expect(await statuses({ authorization: basic() })).toEqual([200, 200])
    await changed({ password: 'another-password' })
    expect(await statuses({ authorization: basic() })).toEqual([401, 401])
    expect(await statuses({ authorization: basic('another-password') })).toEqual([200, 200])
  })

  test('what is decided for a tenant at one holds at the other', async () => {
    const shown = async () => (await asOperator('second', 'GET', '/tenants/acme')).body
    await asOperator('first', 'POST', '/tenants', { name: 'acme', instances: 3 })
    await vi.waitFor(async () => expect(await shown()).toMatchObject({ quotas: { instances: 3 } }), {
      timeout: 60_000,
    })
    await asOperator('first', 'DELETE', '/tenants/acme')
    await vi.waitFor(async () => expect(await shown()).toMatchObject({ quotas: {}, rules: [] }), {
      timeout: 60_000,
    })
  })
})

interface Session {
  readonly cookie: string
  readonly csrf: string
}

interface Asked extends Partial<Session> {
  readonly authorization?: string
  readonly body?: object
}

async function at(place: Place, method: string, path: string, asked: Asked) {
  const { authorization, cookie, csrf, body } = asked
  const response = await fetch(`${urls.get(place)}/api/v1${path}`, {
    method,
    headers: {
      ...(authorization === undefined ? {} : { Authorization: authorization }),
      ...(cookie === undefined ? {} : { Cookie: cookie }),
      ...(csrf === undefined ? {} : { 'X-CSRF-Token': csrf }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    body: (text === '' ? {} : JSON.parse(text)) as object,
    cookie: (response.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '',
  }
}

function basic(secret = password): string {
  return `Basic ${Buffer.from(`ada:${secret}`).toString('base64')}`
}

function asOperator(place: Place, method: string, path: string, body?: object) {
  return at(place, method, path, {
    authorization: accounts.operator,
    ...(body === undefined ? {} : { body }),
  })
}

function changed(change: object) {
  return asOperator('second', 'PATCH', '/accounts/ada', change)
}

/** A fresh account, known to both. */
async function made(): Promise<void> {
  await asOperator('first', 'DELETE', '/accounts/ada')
  const grants = [{ role: 'developer', tenant: 'acme' }]
  const { status } = await asOperator('first', 'POST', '/accounts', { name: 'ada', password, grants })
  expect(status).toBe(201)
}

async function begun(place: Place, cookie?: string): Promise<Session> {
  const answer = await at(place, 'POST', '/session', {
    authorization: basic(),
    ...(cookie === undefined ? {} : { cookie }),
  })
  return { cookie: answer.cookie, csrf: (answer.body as { readonly csrf: string }).csrf }
}

/** What each of both answers. */
async function statuses(asked: Asked): Promise<readonly number[]> {
  const answers = await Promise.all(places.map((place) => at(place, 'GET', '/about', asked)))
  return answers.map(({ status }) => status)
}
