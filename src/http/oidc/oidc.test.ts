/** Tokens of an identity provider: which are believed, what they come to, and what a provider that is away changes. */
import { expect, test } from 'vitest'
import { codeOf } from '../../../test/support/problems.ts'
import {
  forgedWithPublicKey,
  makeSigningKey,
  type SigningKey,
  signedToken,
  unsignedToken,
} from '../../../test/support/signed-tokens.ts'
import { systemChance } from '../../kit/clock.ts'
import { keyedDigest } from '../../kit/hash.ts'
import { permits, roles } from '../../model/access.ts'
import type { OidcSettings } from '../../settings/settings.ts'
import { makeOidc } from './oidc.ts'
import { type AskProvider, isSafe } from './provider.ts'

const issuer = 'https://id.example'
const key = makeSigningKey('k1')
const other = makeSigningKey('k1')
const start = 1_900_000_000

const settings: OidcSettings = {
  ...{ issuer, name: 'id', clientId: 'ui', clientSecret: undefined, cliClientId: 'cli', caFile: undefined },
  ...{ externalUrl: 'https://broker.example/', audiences: ['broker'], scopes: ['openid'] },
  ...{ usernameClaim: 'sub', rolesClaim: 'groups', clockSkew: 60_000 },
  grants: [
    { value: 'dev', role: 'developer', tenants: ['acme', 'web/*'] },
    { value: 'ops', role: 'operator', tenants: [] },
    { value: 'cf', role: 'platform', tenants: [] },
  ],
}

const good = { iss: issuer, sub: 'ada', aud: 'ui', exp: start + 300, iat: start, groups: ['dev', 'other'] }

function world(change: Partial<OidcSettings> = {}) {
  const time = { seconds: start, monotonic: 0 }
  const asked: string[] = []
  const at = { keys: [key] as readonly SigningKey[], isAway: false, description: {} }
  const ask: AskProvider = async (url) => {
    asked.push(new URL(url).pathname)
    if (at.isAway) throw new Error('connection refused')
    const description = {
      ...{ issuer, jwks_uri: `${issuer}/jwks`, authorization_endpoint: `${issuer}/auth?tenant=a` },
      ...{ token_endpoint: `${issuer}/token`, ...at.description },
    }
    const isKeys = url.endsWith('/jwks')
    return { status: 200, body: isKeys ? { keys: at.keys.map(({ open }) => open) } : description }
  }
  const secret = Buffer.from('of a test')
  const oidc = makeOidc({
    settings: () => ({ ...settings, ...change }),
    roles: () => new Map(Object.entries(roles)),
    ...{ ask, chance: systemChance },
    clock: { now: () => time.seconds * 1000, monotonic: () => time.monotonic },
    signer: { active: () => 'k', sign: (_id, text) => keyedDigest(secret, text) },
  })
  return { oidc, time, asked, at }
}

test.each(['ES256', 'RS256', 'PS256', 'EdDSA'] as const)('a token signed by %s is believed', async (alg) => {
  const { oidc, at } = world()
  const mine = makeSigningKey('k2', alg)
  at.keys = [key, mine]

  const account = await oidc.bearer(signedToken(mine, good))
  expect(account).toMatchObject({
    name: 'oidc:ada',
    kind: 'user',
    role: 'developer',
    passwords: [],
    tokens: [],
  })
  expect(account && permits(account.access, 'create:instances', 'web/a')).toBe(true)
  expect(account && permits(account.access, 'create:instances', 'other')).toBe(false)
})

const { sub: _sub, ...nameless } = good
const { exp: _exp, ...endless } = good

test.each<readonly [why: string, token: string]>([
  ['it is not signed', unsignedToken(good)],
  ['it is not signed, in other letters', unsignedToken(good, 'None')],
  ['its algorithm is a property of every object', unsignedToken(good, 'constructor')],
  ['it is signed with the public key as a secret', forgedWithPublicKey(key, good, JSON.stringify(key.open))],
  ['another key of the same name signed it', signedToken(other, good)],
  ['it brings its own key', signedToken(other, good, { jwk: other.open })],
  ['it names the place of its own key', signedToken(other, good, { jku: 'https://evil.example/jwks' })],
  ['its algorithm is not that of the key', signedToken(key, good, { alg: 'RS256' })],
  ['its header says what must be understood', signedToken(key, good, { crit: ['exp'] })],
  ['it ends a session', signedToken(key, good, { typ: 'logout+jwt' })],
  ['its issuer is another one', signedToken(key, { ...good, iss: `${issuer}/` })],
  ['it is for another audience', signedToken(key, { ...good, aud: 'shop' })],
  ['its audience is part of ours', signedToken(key, { ...good, aud: ['u', 'i'] })],
  ['it was made for another party', signedToken(key, { ...good, aud: ['ui', 'shop'], azp: 'shop' })],
  ['its time is over', signedToken(key, { ...good, exp: start - 61 })],
  ['it has no end', signedToken(key, endless)],
  ['its end is a text', signedToken(key, { ...good, exp: String(start + 300) })],
  ['its time has not come', signedToken(key, { ...good, nbf: start + 61 })],
  ['it is of the future', signedToken(key, { ...good, iat: start + 61 })],
  ['it has no subject', signedToken(key, nameless)],
  ['its subject holds a slash', signedToken(key, { ...good, sub: 'a/b' })],
  ['it is cut', signedToken(key, good).slice(0, -3)],
  ['it is no token', 'a.b.c'],
])('a token is not believed when %s', async (_why, token) => {
  expect(await world().oidc.bearer(token)).toBeUndefined()
})

test.each([
  ['the skew of clocks', { ...good, exp: start - 59, nbf: start + 59, iat: start + 59 }],
  ['the command line', { ...good, aud: 'cli' }],
  ['an audience of the settings, among others', { ...good, aud: ['broker', 'shop'], azp: 'ui' }],
])('a token is believed within %s', async (_, claims) => {
  expect((await world().oidc.bearer(signedToken(key, claims)))?.name).toBe('oidc:ada')
})

test('a name that its owner has not proved is none, and roles come of whole values only', async () => {
  const { oidc } = world({ usernameClaim: 'email' })
  const email = { ...good, email: 'ada@acme.example' }
  expect(await oidc.bearer(signedToken(key, email))).toBeUndefined()
  expect((await oidc.bearer(signedToken(key, { ...email, email_verified: true })))?.name).toBe(
    'oidc:ada@acme.example',
  )
  const roleOf = async (groups: unknown) =>
    (await world().oidc.bearer(signedToken(key, { ...good, groups })))?.role
  expect(await roleOf('dev')).toBe('developer')
  expect(await roleOf('dev ops')).toBe('')
  expect(await roleOf({ dev: true })).toBe('')
  expect((await world().oidc.bearer(signedToken(key, { ...good, groups: ['cf'] })))?.kind).toBe('platform')
})

test('an RSA key that is too short is not believed', async () => {
  const { oidc, at } = world()
  const short = makeSigningKey('short', 'RS256', 1024)
  at.keys = [short]
  expect(await oidc.bearer(signedToken(short, good))).toBeUndefined()
})

test('other keys are asked for when one is not known, and not all the time', async () => {
  const { oidc, at, asked, time } = world()
  const next = makeSigningKey('k2')
  const count = () => asked.filter((path) => path === '/jwks').length
  expect(await oidc.bearer(signedToken(key, good))).toBeDefined()
  at.keys = [next]
  time.monotonic += 10_001
  expect(await oidc.bearer(signedToken(next, good))).toBeDefined()
  const seen = count()
  for (let i = 0; i < 20; i += 1)
    expect(await oidc.bearer(signedToken(makeSigningKey(`x${i}`), good))).toBeUndefined()
  expect(count()).toBe(seen)
  expect(await oidc.bearer(signedToken(key, good))).toBeUndefined()
  expect(await oidc.bearer(signedToken(next, { ...good, aud: 'shop' }))).toBeUndefined()
})

test('a provider that is away is told as such; its keys of before are believed for a day', async () => {
  const { oidc, at, time } = world()
  at.isAway = true
  const token = signedToken(key, { ...good, exp: start + 1_000_000 })
  expect(await codeOf(oidc.bearer(token))).toBe('login.provider-away')
  expect(await oidc.bearer(unsignedToken({ ...good, iss: 'x' }))).toBeUndefined()
  at.isAway = false
  time.monotonic += 10_001
  expect(await oidc.bearer(token)).toBeDefined()
  at.isAway = true
  time.monotonic += 3_600_000
  expect(await oidc.bearer(token)).toBeDefined()
  time.monotonic += 86_400_000
  expect(await codeOf(oidc.bearer(token))).toBe('login.provider-away')
})

test('a description that is of another provider, or leads into the open, is none', async () => {
  const { oidc, at } = world()
  at.description = { issuer: 'https://evil.example' }
  expect(await codeOf(oidc.begin('/ui/'))).toBe('login.provider-away')
  const second = world()
  second.at.description = { authorization_endpoint: 'http://id.example/auth' }
  expect(await codeOf(second.oidc.begin('/ui/'))).toBe('login.provider-away')
  expect(['https://a', 'http://127.0.0.1:1', 'http://evil.example', 'file:///etc', 'x'].map(isSafe)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test('without a provider there is no login, and no token is believed', async () => {
  const { oidc } = world({ issuer: undefined })
  expect(await oidc.bearer(signedToken(key, good))).toBeUndefined()
  expect(await codeOf(oidc.begin('/ui/'))).toBe('login.not-offered')
  expect(oidc.person('oidc:ada', [])).toBeUndefined()
  expect(oidc.offer()).toBeUndefined()
  const { oidc: quiet } = world({ externalUrl: undefined })
  expect(await codeOf(quiet.begin('/ui/'))).toBe('login.not-offered')
  expect(quiet.offer()).toMatchObject({ clientId: 'cli', byBrowser: false })
})

test('a login begins with PKCE, and its answer counts once it is that of this browser and not too late', async () => {
  const { oidc, time } = world()
  const { location, pass } = await oidc.begin('/ui/catalog')
  const { searchParams: asked, origin, pathname } = new URL(location)
  expect([origin, pathname, asked.get('tenant')]).toEqual([issuer, '/auth', 'a'])
  expect(asked.get('code_challenge_method')).toBe('S256')
  expect(asked.get('redirect_uri')).toBe('https://broker.example/api/login/oidc/callback')
  const state = asked.get('state') ?? ''
  const came = (more: Record<string, string>) => new URLSearchParams({ state, code: 'c', ...more })
  const refused = (params: URLSearchParams, given: string | undefined) => codeOf(oidc.end(params, given))

  expect(await refused(came({}), undefined)).toBe('login.refused')
  expect(await refused(came({}), `${pass}x`)).toBe('login.refused')
  expect(await refused(came({ state: 'of-another' }), pass)).toBe('login.refused')
  expect(await refused(came({ iss: 'https://evil.example' }), pass)).toBe('login.refused')
  expect(await refused(came({ error: 'access_denied' }), pass)).toBe('login.refused')
  expect(await refused(came({}), (await oidc.begin('/ui/')).pass)).toBe('login.refused')
  time.seconds += 601
  expect(await refused(came({}), pass)).toBe('login.refused')
})
