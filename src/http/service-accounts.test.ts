/** Service accounts of a cluster: which tokens the cluster is asked about, what its word is worth, and for how long. */
import { expect, test } from 'vitest'
import { codeOf } from '../../test/support/problems.ts'
import { makeSigningKey, signedToken } from '../../test/support/signed-tokens.ts'
import { permits, roles } from '../model/access.ts'
import { makeServiceAccounts } from './service-accounts.ts'

/** It signs the same text the same way each time. */
const key = makeSigningKey('cluster', 'EdDSA')
const start = 1_900_000_000
const sub = 'system:serviceaccount:team-a:ci'
const good = { sub, aud: ['chandler'], exp: start + 600, iss: 'https://kubernetes.default.svc' }

function world() {
  const time = { monotonic: 0 }
  const cluster = {
    asked: 0,
    isAway: false,
    answer: { user: sub, audiences: ['chandler'] } as { user: string; audiences: string[] } | undefined,
  }
  const bearer = makeServiceAccounts({
    settings: () => ({
      audiences: ['chandler'],
      grants: [
        { namespace: 'team-a', name: 'ci', role: 'developer', tenants: ['acme'] },
        { namespace: 'team-a', name: undefined, role: 'viewer', tenants: [] },
        { namespace: 'cf', name: 'controller', role: 'platform', tenants: [] },
      ],
    }),
    roles: () => new Map(Object.entries(roles)),
    review: async () => {
      cluster.asked += 1
      if (cluster.isAway) throw new Error('connect ECONNREFUSED 10.1.2.3:6443')
      return cluster.answer
    },
    clock: { now: () => start * 1000, monotonic: () => time.monotonic },
  })
  return { time, cluster, ask: (claims: object) => bearer(signedToken(key, claims)), bearer }
}

test('an account may do what its name and its namespace give it, and begins nothing that outlives its token', async () => {
  const account = await world().ask(good)

  expect(account).toMatchObject({
    name: 'k8s:team-a:ci',
    kind: 'user',
    role: 'developer, viewer',
    claimed: [],
  })
  expect(account && permits(account.access, 'create:instances', 'acme')).toBe(true)
  expect(account && permits(account.access, 'create:instances', 'web')).toBe(false)
  expect(account && permits(account.access, 'read:instances', 'web')).toBe(true)
})

test.each([
  ['system:serviceaccount:cf:controller', 'k8s:cf:controller', 'platform', 'platform'],
  ['system:serviceaccount:cf:other', 'k8s:cf:other', 'user', ''],
])('%s is %s', async (user, name, kind, role) => {
  const { cluster, ask } = world()
  cluster.answer = { user, audiences: ['chandler'] }

  expect(await ask({ ...good, sub: user })).toMatchObject({ name, kind, role })
})

test.each<[string, object]>([
  ['its subject is no service account', { ...good, sub: 'ada' }],
  ['it was made for the API server', { ...good, aud: ['https://kubernetes.default.svc'] }],
  ['its time is over', { ...good, exp: start - 1 }],
  ['it never ends', { ...good, exp: undefined }],
])('a token costs the cluster no question when %s', async (_, claims) => {
  const { cluster, ask } = world()

  expect(await ask(claims)).toBeUndefined()
  expect(cluster.asked).toBe(0)
})

test.each<[string, { user: string; audiences: string[] } | undefined]>([
  ['says that it is worth nothing', undefined],
  ['names no audience', { user: sub, audiences: [] }],
  ['names another audience', { user: sub, audiences: ['shop'] }],
  ['names a node', { user: 'system:node:n1', audiences: ['chandler'] }],
])('a token is not believed when the cluster %s', async (_, answer) => {
  const { cluster, ask } = world()
  cluster.answer = answer

  expect(await ask(good)).toBeUndefined()
})

test('what is no token is no question', async () => {
  const { cluster, bearer } = world()

  expect(await bearer('a.b.c')).toBeUndefined()
  expect(cluster.asked).toBe(0)
})

test('the word of the cluster counts for a minute; an account that was deleted there is out then', async () => {
  const { time, cluster, ask } = world()
  await ask(good)
  cluster.answer = undefined
  time.monotonic = 59_000
  expect(await ask(good)).toBeDefined()
  time.monotonic = 60_001
  expect(await ask(good)).toBeUndefined()
  expect(cluster.asked).toBe(2)
})

test('a cluster that does not answer is told as such, without its address', async () => {
  const { cluster, ask } = world()
  cluster.isAway = true

  expect(await codeOf(ask(good))).toBe('login.provider-away')
  await expect(ask(good)).rejects.not.toThrow(/10\.1\.2\.3/)
})
