/** People of an identity provider from outside: a login in a browser with a real provider, its session, its refusals. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JWKS } from 'oidc-provider'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { basic, startTestBroker, type TestBroker } from '../support/broker.ts'
import { clientSecret, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { plainBrowser } from '../support/plain-browser.ts'
import { makeSigningKey, signedToken } from '../support/signed-tokens.ts'

/** Where browsers know the broker; requests to it go to the one of this test. */
const outside = 'http://broker.example'
const [first, second] = [makeSigningKey('first', 'RS256'), makeSigningKey('second', 'RS256')]
const jwks = (...keys: readonly (typeof first)[]) => ({ keys: keys.map(({ whole }) => whole) }) as JWKS

let provider: IdentityProvider
let running: TestBroker
beforeAll(async () => {
  provider = await startIdentityProvider({
    keys: jwks(first),
    groups: { alice: ['dev'], oscar: ['ops'], nina: [] },
    redirectUri: `${outside}/api/login/oidc/callback`,
  })
  const oidc = {
    ...{ issuer: provider.issuer, clientId: 'ui', clientSecret, cliClientId: 'cli', externalUrl: outside },
    grants: [
      { value: 'dev', role: 'developer', tenants: ['acme'] },
      { value: 'ops', role: 'operator' },
    ],
  }
  running = await startTestBroker('limits: {failedLoginsPerSecond: 100000}\n', undefined, (text) =>
    text.replace('auth:\n', `auth:\n  oidc: ${JSON.stringify(oidc)}\n`),
  )
})
afterAll(async () => {
  await running.stop()
  await provider.stop()
})

function browser() {
  const plain = plainBrowser((url) => url.replace(outside, running.url))
  return { ...plain, cookies: () => plain.cookiesOf(outside) }
}

const begin = `${outside}/api/login/oidc?to=/ui/catalog`
const ui = `${outside}/ui/`
const comesBack = `${outside}/api/login/oidc/callback`

test('what is offered is told to strangers, and nothing secret with it', async () => {
  const text = await (await fetch(`${running.url}/api/login`)).text()
  expect(JSON.parse(text)).toMatchObject({
    oidc: { issuer: provider.issuer, clientId: 'cli', byBrowser: true },
  })
  expect(text).not.toContain('secret')
})

test('somebody logs in, does what the roles of the provider allow, and is in the trail', async () => {
  provider.login('alice')
  const alice = browser()
  const { url } = await alice.visit(begin, ui)
  expect(url).toBe(`${outside}/ui/catalog`)
  expect([...alice.cookies().keys()]).toEqual(['chandler-session'])

  const session = (await (await alice.get(`${outside}/api/v1/session`)).json()) as {
    user: unknown
    csrf: string
  }
  expect(session.user).toEqual({ name: 'oidc:alice', role: 'developer' })
  expect((await alice.get(`${outside}/api/v1/instances`)).status).toBe(200)
  expect((await alice.get(`${outside}/api/v1/keys`)).status).toBe(403)
  const cookie = `chandler-session=${alice.cookies().get('chandler-session')}`
  const send = (path: string, csrf: string, body: object = {}) =>
    fetch(`${running.url}/api/v1${path}`, {
      method: 'POST',
      headers: { Cookie: cookie, 'X-CSRF-Token': csrf, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await send('/instances', 'x', { service: 'alpha-db', plan: 'small' })).status).toBe(403)
  expect((await send('/instances', session.csrf, { service: 'alpha-db', plan: 'small' })).status).toBe(202)
  expect((await send('/tokens', session.csrf, { name: 'ci' })).status).toBe(403)

  const trail = await ask(running, '/api/v1/audit?action=session.begin', { as: basic('admin') })
  const { items } = (await trail.json()) as { readonly items: readonly { readonly actor: object }[] }
  expect(items[0]?.actor).toEqual({ kind: 'user', id: 'oidc:alice' })
  const about = async () => (await alice.get(`${outside}/api/v1/about`)).status
  expect(await about()).toBe(200)
  // What a value gives, and which provider speaks, is asked with each request.
  const asBefore = readFileSync(join(running.folder, 'chandler.yml'), 'utf8')
  for (const [from, to] of [
    ['"tenants":["acme"]', '"tenants":["web"]'],
    [provider.issuer, 'https://gone.example'],
    [`"issuer":"${provider.issuer}",`, ''],
  ] as const) {
    await running.reload(() => asBefore.replace(from, to))
    expect(await about()).toBe(401)
    await running.reload(() => asBefore)
    expect(await about()).toBe(200)
  }
})

test('somebody without a role of ours logs in and may do nothing', async () => {
  provider.login('nina')
  const nina = browser()
  await nina.visit(begin, ui)
  expect((await nina.get(`${outside}/api/v1/about`)).status).toBe(403)
})

test('a code is worth something once, in the browser that began, and elsewhere nothing', async () => {
  provider.login('oscar')
  const [oscar, thief] = [browser(), browser()]
  const { url } = await oscar.visit(begin, comesBack)
  expect(new URL(url).searchParams.get('iss')).toBe(provider.issuer)

  const stolen = await thief.visit(url, ui)
  expect(stolen.url).toBe(`${ui}?login=login.refused`)
  // The thief's own login does not make the code of another one worth something.
  const own = await thief.visit(begin, comesBack)
  const mixed = new URL(own.url)
  mixed.searchParams.set('code', new URL(url).searchParams.get('code') ?? '')
  expect((await thief.visit(mixed.href, ui)).url).toBe(`${ui}?login=login.refused`)
  expect(thief.cookies().has('chandler-session')).toBe(false)

  const again = browser()
  const used = await again.visit(begin, comesBack)
  expect((await again.visit(used.url, ui)).url).toBe(`${ui}catalog`)
  const replayed = await again.visit(used.url, ui)
  expect(replayed.url).toBe(`${ui}?login=login.refused`)
})

test.each([
  'https://evil.example/',
  '//evil.example/ui/',
  '/\\evil.example/ui/',
  '/ui/../api/v1/keys',
  '/ui/%2e%2e/%2e%2e/x',
  'javascript:alert(1)',
  '@evil.example/ui/',
])('a login that should lead to %j leads into the UI', async (to) => {
  provider.login('alice')
  const { url } = await browser().visit(`${outside}/api/login/oidc?to=${encodeURIComponent(to)}`, ui)
  expect(new URL(url).origin).toBe(outside)
  expect(new URL(url).pathname).toMatch(/^\/ui\//)
})

test('tokens of the provider are taken as bearer, within their roles, and begin no session', async () => {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: provider.issuer,
    sub: 'alice',
    aud: 'cli',
    iat: now,
    exp: now + 3600,
    groups: ['dev'],
  }
  const status = async (token: string, path = '/instances', method = 'GET') =>
    (await ask(running, `/api/v1${path}`, { as: `Bearer ${token}`, method })).status
  const token = signedToken(first, claims)
  expect(await status(token)).toBe(200)
  expect(await status(token, '/keys')).toBe(403)
  expect(await status(token, '/session', 'POST')).toBe(403)
  expect(await status(signedToken(first, { ...claims, aud: 'shop' }))).toBe(401)
  expect(await status(signedToken(second, claims))).toBe(401)
  expect((await ask(running, '/v2/catalog', { as: `Bearer ${token}` })).status).toBe(403)
})

test('while the provider is away, logins say so, and accounts of the broker go on', async () => {
  const begun = await browser().visit(begin, `${provider.issuer}/auth`)
  expect(begun.url).toContain('code_challenge_method=S256')
  provider.away(true)
  try {
    const { url } = await browser().visit(comesBack, ui)
    expect(url).toBe(`${ui}?login=login.refused`)
    expect((await ask(running, '/api/v1/about', { as: basic('admin') })).status).toBe(200)
  } finally {
    provider.away(false)
  }
})
