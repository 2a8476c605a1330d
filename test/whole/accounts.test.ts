/** Accounts and tokens from outside: made, used, bounded, changed, ended; by HTTP and by commands. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { register as registerAdmin } from '../../src/cli/commands/admin.ts'
import { register as registerTokens } from '../../src/cli/commands/token.ts'
import { register as registerUsers } from '../../src/cli/commands/user.ts'
import { ask } from '../support/ask.ts'
import { basic, passwords, startTestBroker, type TestBroker } from '../support/broker.ts'
import { codeOf } from '../support/problems.ts'
import { runCommand } from '../support/run-command.ts'

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker('limits: {failedLoginsPerSecond: 100000}\n')
})
afterAll(() => running.stop())
afterEach(() => vi.unstubAllEnvs())

const password = 'password-of-ada'

function as(user: string, secret = password): string {
  return `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
}

async function call(authorization: string, method: string, path: string, body?: object) {
  const response = await ask(running, `/api/v1${path}`, {
    as: authorization,
    method,
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> }
}

const developer = [{ role: 'developer', tenant: 'acme' }]

function added(name: string, more: object = {}) {
  return call(basic('admin'), 'POST', '/accounts', { name, password, grants: developer, ...more })
}

test('an account is made, seen without its password, and logs in until it is taken away', async () => {
  expect(await added('ada')).toMatchObject({ status: 201, body: { name: 'ada', grants: developer } })
  expect((await added('ada')).body['code']).toBe('account.exists')
  expect((await added('admin')).body['code']).toBe('account.exists')
  expect((await added('eve', { grants: [{ role: 'emperor', tenant: '*' }] })).status).toBe(400)
  expect((await call(basic('watcher'), 'GET', '/accounts')).status).toBe(403)
  expect(JSON.stringify((await call(basic('admin'), 'GET', '/accounts')).body)).not.toMatch(/scrypt|password/)

  expect((await call(as('ada'), 'GET', '/whoami')).body).toMatchObject({ name: 'ada', role: 'developer' })
  expect((await call(as('ada', 'password-of-eve'), 'GET', '/whoami')).status).toBe(401)
  expect((await call(as('nobody'), 'GET', '/whoami')).status).toBe(401)
  expect((await call(basic('admin'), 'DELETE', '/accounts/ada')).status).toBe(204)
  expect((await call(as('ada'), 'GET', '/whoami')).status).toBe(401)
  expect((await call(basic('admin'), 'PATCH', '/accounts/ada', { endSessions: true })).body['code']).toBe(
    'account.unknown',
  )
})

test('a platform of the store uses the Open Service Broker API, and nothing else', async () => {
  await added('k8s', { kind: 'platform', grants: [{ role: 'platform', tenant: '*' }] })

  expect((await ask(running, '/v2/catalog', { as: as('k8s') })).status).toBe(200)
  expect((await call(as('k8s'), 'GET', '/about')).status).toBe(403)
})

test('a session ends with the password, with the roles and when it is told to', async () => {
  await added('bob')
  const begin = async (secret = password) => {
    const response = await ask(running, '/api/v1/session', { as: as('bob', secret), method: 'POST' })
    const cookie = (response.headers.get('Set-Cookie') ?? '').split(';')[0] ?? ''
    return async () => (await fetch(`${running.url}/api/v1/about`, { headers: { Cookie: cookie } })).status
  }
  const change = (body: object) => call(basic('admin'), 'PATCH', '/accounts/bob', body)
  for (const body of [{ endSessions: true }, { grants: [] }, { grants: developer }]) {
    const status = await begin()
    const before = body.grants?.length === 1 ? 401 : 200
    if (before === 200) expect(await status()).toBe(200)
    await change(body)
    expect(await status()).not.toBe(200)
  }
  const status = await begin()
  expect(await status()).toBe(200)
  const other = 'another-password'
  expect((await call(as('bob'), 'POST', '/password', { current: 'wrong', password: other })).status).toBe(403)
  expect((await call(as('bob'), 'POST', '/password', { current: password, password: other })).status).toBe(
    204,
  )
  expect(await status()).toBe(401)
  expect((await call(as('bob'), 'GET', '/about')).status).toBe(401)
  expect((await call(as('bob', other), 'GET', '/about')).status).toBe(200)
})

test('an open stream ends with the token, the session or the role that it was begun with', async () => {
  await added('eve')
  await added('eva')
  const { body: made } = await call(as('eve'), 'POST', '/tokens', { name: 'watch' })
  const begun = await ask(running, '/api/v1/session', { as: as('eva'), method: 'POST' })
  const cookie = (begun.headers.get('Set-Cookie') ?? '').split(';')[0] ?? ''
  const stream = async (headers: Record<string, string>) => {
    const response = await fetch(`${running.url}/api/v1/changes`, {
      headers: { ...headers, Accept: 'text/event-stream' },
    })
    return { status: response.status, ended: response.text() }
  }
  const byToken = await stream({ Authorization: `Bearer ${String(made['token'])}` })
  const bySession = await stream({ Cookie: cookie })
  expect([byToken.status, bySession.status]).toEqual([200, 200])

  await call(basic('admin'), 'DELETE', `/tokens/${String(made['id'])}`)
  await call(basic('admin'), 'PATCH', '/accounts/eva', { grants: [] })
  expect(await byToken.ended).toContain('event: reconnect')
  expect(await bySession.ended).toContain('event: reconnect')
})

test('wrong passwords of a session are guesses at its account, and too many of them are refused', async () => {
  const strict = await startTestBroker('limits: {failedLoginsPerSecond: 1}\n')
  const to = (path: string, method: string, authorization: string, body: object = {}) =>
    ask(strict, `/api/v1${path}`, { as: authorization, method, body })
  try {
    await to('/accounts', 'POST', basic('admin'), { name: 'bob', password, grants: developer })
    const change = (current: string) =>
      to('/password', 'POST', as('bob'), { current, password: 'another-password' })
    expect((await change('wrong')).status).toBe(403)
    const guesses = await Promise.all(Array.from({ length: 20 }, () => change('wrong')))
    expect(guesses.map(({ status }) => status)).toContain(429)
  } finally {
    await strict.stop()
  }
})

test('a token that is asked for again with its key is made anew, and nothing is kept of the answer', async () => {
  await added('ida')
  const wish = { name: 'ci', grants: [{ role: 'viewer', tenant: 'acme' }] }
  const make = async (body: object) => {
    const response = await fetch(`${running.url}/api/v1/tokens`, {
      method: 'POST',
      headers: { Authorization: as('ida'), 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const first = await make(wish)
  const again = await make(wish)

  expect(again.body['id']).toBe(first.body['id'])
  expect(again.body['token']).not.toBe(first.body['token'])
  expect((await call(`Bearer ${String(first.body['token'])}`, 'GET', '/about')).status).toBe(401)
  expect((await call(`Bearer ${String(again.body['token'])}`, 'GET', '/about')).status).toBe(200)
  expect((await make({ ...wish, grants: [] })).body['code']).toBe('idempotency.mismatch')
  expect((await call(basic('admin'), 'DELETE', '/accounts/ida')).status).toBe(204)
})

test('an administrator makes tokens for a platform, several at once, and others do not', async () => {
  await added('cf-2', { kind: 'platform', grants: [{ role: 'platform', tenant: '*' }] })
  await added('mia')
  const wish = { name: 'next', account: 'cf-2' }
  expect((await call(as('mia'), 'POST', '/tokens', wish)).status).toBe(403)
  expect((await call(basic('admin'), 'POST', '/tokens', { ...wish, account: 'none' })).body['code']).toBe(
    'account.unknown',
  )
  for (const _ of [1, 2]) {
    const made = await call(basic('admin'), 'POST', '/tokens', wish)
    expect(made).toMatchObject({ status: 201, body: { account: 'cf-2' } })
    const bearer = `Bearer ${String(made.body['token'])}`
    expect((await ask(running, '/v2/catalog', { as: bearer })).status).toBe(200)
  }
})

test('a token is shown once, does no more than it was made for, and is worth nothing once revoked', async () => {
  await added('tim', { grants: [{ role: 'operator', tenant: '*' }] })
  const wish = { name: 'ci', grants: [{ role: 'viewer', tenant: 'acme' }], days: 1 }
  const made = await call(as('tim'), 'POST', '/tokens', wish)
  expect(made).toMatchObject({ status: 201, body: { account: 'tim', grants: wish.grants } })
  const text = String(made.body['token'])
  expect(text).toMatch(/^chd_[\w-]{43}$/)
  const listed = await call(as('tim'), 'GET', '/tokens')
  expect(JSON.stringify(listed.body)).not.toContain(text)

  const bearer = `Bearer ${text}`
  expect((await call(bearer, 'GET', '/instances')).status).toBe(200)
  expect((await call(bearer, 'GET', '/cluster')).status).toBe(403)
  expect((await call(bearer, 'POST', '/freeze', { reason: 'x' })).status).toBe(403)
  expect((await call(bearer, 'POST', '/tokens', { name: 'more' })).status).toBe(403)
  expect((await call(bearer, 'POST', '/session')).status).toBe(403)
  expect(
    (await call(bearer, 'POST', '/password', { current: password, password: 'x'.repeat(12) })).status,
  ).toBe(403)
  expect((await call(as('tim'), 'GET', '/tokens?all=true')).status).toBe(403)
  const id = String(made.body['id'])
  await added('eve')
  expect((await call(as('eve'), 'DELETE', `/tokens/${id}`)).body['code']).toBe('token.unknown')
  expect((await call(as('tim'), 'DELETE', `/tokens/${id}`)).status).toBe(204)
  expect((await call(bearer, 'GET', '/instances')).status).toBe(401)
})

test('every change is in the audit trail with who made it, and nothing secret is', async () => {
  await added('sue')
  const made = await call(basic('admin'), 'POST', '/tokens', { name: 'x' })
  await call(`Bearer ${String(made.body['token'])}`, 'DELETE', '/accounts/sue')
  const trail = await call(basic('admin'), 'GET', '/audit?latest=true&limit=500')
  const items = trail.body['items'] as readonly { readonly action: string; readonly actor: object }[]
  const actions = items.map(({ action }) => action)

  expect(actions).toEqual(expect.arrayContaining(['account.add', 'account.remove', 'token.create']))
  expect(items.find(({ action }) => action === 'account.remove')?.actor).toEqual({
    kind: 'token',
    id: `admin/${String(made.body['id'])}`,
  })
  expect(JSON.stringify(trail.body)).not.toMatch(new RegExp(`${password}|chd_|scrypt`))
})

test('where nobody could log in, the log tells a token that makes the first account and nothing after that', async () => {
  const empty = await startTestBroker('limits: {failedLoginsPerSecond: 100000}\n', undefined, (text) =>
    text.replace(/^auth:[\s\S]*?\nshutdown:/m, 'shutdown:'),
  )
  try {
    const line = empty.logLines.find((one) => one.includes('account.none')) ?? '{}'
    const { setUp } = JSON.parse(line) as { readonly setUp: string }
    const first = { name: 'root', password, grants: [{ role: 'admin', tenant: '*' }] }
    const make = (name: string) =>
      ask(empty, '/api/v1/accounts', { as: `Bearer ${setUp}`, method: 'POST', body: { ...first, name } })

    expect((await ask(empty, '/api/v1/about', { as: basic('admin') })).status).toBe(401)
    expect((await ask(empty, '/api/v1/instances', { as: `Bearer ${setUp}` })).status).toBe(403)
    expect((await make('root')).status).toBe(201)
    expect((await make('second')).status).toBe(401)
    expect((await ask(empty, '/api/v1/about', { as: as('root') })).status).toBe(200)
  } finally {
    await empty.stop()
  }
})

test('a token of the machine does everything for an hour, with its reason in the trail, until it is revoked', async () => {
  const config = join(running.folder, 'chandler.yml')
  const grant = (...words: readonly string[]) =>
    runCommand(registerAdmin, ['admin', 'grant', '--local', '--config', config, ...words])
  const text = (await grant('--reason', 'nobody can log in')).trim()
  const bearer = `Bearer ${text}`

  expect(
    (await call(`${bearer.slice(0, -1)}${bearer.endsWith('A') ? 'B' : 'A'}`, 'GET', '/about')).status,
  ).toBe(401)
  const who = await call(bearer, 'GET', '/whoami')
  expect(who.body).toMatchObject({ name: 'break-glass', kind: 'user' })
  expect((await call(bearer, 'GET', '/keys')).status).toBe(200)
  expect((await call(bearer, 'POST', '/tokens', { name: 'longer' })).status).toBe(403)
  expect((await call(bearer, 'POST', '/session')).status).toBe(403)
  const trail = await call(bearer, 'GET', '/audit?action=access.break-glass')
  const [used] = trail.body['items'] as readonly { actor: { id: string }; object: { id: string } }[]
  expect(used?.object.id).toMatch(/@.*: nobody can log in$/)
  const id = used?.actor.id.split('/')[1] ?? ''
  expect((await added('break-glass')).body['code']).toBe('account.exists')

  expect((await call(bearer, 'DELETE', `/tokens/${id}`)).status).toBe(204)
  expect((await call(bearer, 'GET', '/about')).status).toBe(401)
  expect(await codeOf(grant('--reason', ' '))).toBe('usage.invalid')
})

test('commands make, list, change and remove accounts and tokens', async () => {
  vi.stubEnv('CHANDLER_SERVER', running.url)
  vi.stubEnv('CHANDLER_USER', 'admin')
  vi.stubEnv('CHANDLER_PASSWORD', passwords.admin)
  const user = (...words: readonly string[]) => runCommand(registerUsers, ['user', ...words])
  const token = (...words: readonly string[]) => runCommand(registerTokens, ['token', ...words])
  const file = join(running.folder, 'new-password')
  writeFileSync(file, `${password}\n`)

  expect(
    await user('add', 'kim', '--role', 'developer', '--tenant', 'acme', '--new-password-file', file),
  ).toBe('kim: developer in acme\n')
  expect(await user('list')).toMatch(/kim +user +developer in acme/)
  expect(await user('grant', 'kim', '--role', 'viewer', '--more', '-o', 'json')).toContain('"viewer"')
  expect(await user('logout', 'kim')).toContain('are over')
  writeFileSync(file, 'another-password\n')
  await user('password', 'kim', '--new-password-file', file)

  vi.stubEnv('CHANDLER_USER', 'kim')
  vi.stubEnv('CHANDLER_PASSWORD', 'another-password')
  const text = (await token('create', 'ci', '--days', '2')).trim()
  const tokenFile = join(running.folder, 'token')
  writeFileSync(tokenFile, text)
  const id = (await token('list', '-o', 'name', '--token-file', tokenFile)).trim()
  expect(await token('list', '--token-file', tokenFile)).toMatch(/ci +kim +all of its account/)
  expect(await token('revoke', id)).toBe(`Revoked: ${id}\n`)
  expect(await codeOf(token('list', '--token-file', tokenFile))).toBe('request.unauthenticated')

  vi.stubEnv('CHANDLER_USER', 'admin')
  vi.stubEnv('CHANDLER_PASSWORD', passwords.admin)
  expect(await user('remove', 'kim', '--yes')).toBe('Removed: kim\n')
})
