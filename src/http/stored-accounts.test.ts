/** Accounts of the store over two processes of one cluster: what is changed in one holds in the other at once. */
import { expect, test } from 'vitest'
import { codeOf } from '../../test/support/problems.ts'
import { openTestStore, type StoreKind, storeKinds } from '../../test/support/stores.ts'
import { addAccount, changeAccount, makeToken, removeAccount, revokeToken } from '../broker/accounts.ts'
import { systemChance } from '../kit/clock.ts'
import { fitsPassword, hashPassword, unknownHash } from '../kit/hash.ts'
import { type Grant, permits, roles } from '../model/access.ts'
import { ProblemError } from '../model/problem.ts'
import { type Account, makeGate } from './authenticate.ts'
import { makeJudge } from './judge.ts'
import { makeStoredAccounts } from './stored-accounts.ts'

const known = new Map(Object.entries(roles))
const asker = { platform: '', account: { kind: 'user', id: 'root' }, requestId: 'r' } as const
const developer: readonly Grant[] = [{ role: 'developer', tenant: 'acme' }]

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

async function cluster(kind: StoreKind) {
  const opened = await openTestStore(kind)
  const { store } = opened
  const time = { now: 0 }
  const ports = { ...{ store, chance: systemChance, node: 'n' } } as Parameters<typeof addAccount>[0]
  const gate = makeGate({ accounts: [], roles: known })
  const clock = { now: () => Date.now(), monotonic: () => time.now }
  const node = () => {
    const stored = makeStoredAccounts({ store, gate, clock, chance: systemChance, node: 'n' })
    const { judge } = makeJudge({ gate, stored, clock })
    return { stored, judge: (authorization: string) => judge({ authorization, address: 'here' }, 2) }
  }
  return {
    ports,
    nodes: [node(), node()] as const,
    advance: opened.advance,
    pass: (ms: number) => {
      time.now += ms
    },
    close: () => opened[Symbol.asyncDispose](),
  }
}

test.each(storeKinds)('a password, its change and the end of an account hold at both (%s)', async (kind) => {
  const { ports, nodes, close } = await cluster(kind)
  await addAccount(ports, asker, { name: 'ada', kind: 'user', password: 'first', grants: developer })
  for (const { stored } of nodes) {
    const account = await stored.admit(basic('ada', 'first'))
    expect(account && permits(account.access, 'create:instances', 'acme')).toBe(true)
    expect(account && permits(account.access, 'create:instances', 'web')).toBe(false)
  }
  const before = await nodes[1].stored.named('ada')

  await changeAccount(ports, asker, 'ada', { password: 'second' })
  for (const { stored } of nodes) expect(await stored.admit(basic('ada', 'first'))).toBeUndefined()
  expect((await nodes[1].stored.admit(basic('ada', 'second')))?.name).toBe('ada')
  expect((await nodes[1].stored.named('ada'))?.version).not.toBe(before?.version)

  await changeAccount(ports, asker, 'ada', { grants: [] })
  expect((await nodes[0].stored.named('ada'))?.access.size).toBe(0)
  await removeAccount(ports, asker, 'ada')
  for (const { stored } of nodes) expect(await stored.admit(basic('ada', 'second'))).toBeUndefined()
  expect(await codeOf(removeAccount(ports, asker, 'ada'))).toBe('account.unknown')
  await close()
})

test.each(storeKinds)(
  'a former password is valid beside the new one for its time, in one try, until it is dropped (%s)',
  async (kind) => {
    const { ports, nodes, advance, close } = await cluster(kind)
    const [{ stored }] = nodes
    const fits = async (password: string) => (await stored.admit(basic('cf', password)))?.name === 'cf'
    const grants: readonly Grant[] = [{ role: 'platform', tenant: '*' }]
    await addAccount(ports, asker, { name: 'cf', kind: 'platform', password: 'first', grants })
    await changeAccount(ports, asker, 'cf', { password: 'second', keepFormerMs: 3_600_000 })
    await changeAccount(ports, asker, 'cf', { password: 'third', keepFormerMs: 3_600_000 })
    for (const password of ['first', 'second', 'third']) expect(await fits(password)).toBe(true)
    expect(await fits('fourth')).toBe(false)
    const kept = await ports.store.look.account('cf')
    expect(
      new Set([kept?.passwordHash, ...(kept?.former ?? []).map(({ hash }) => hash)].map(saltIn)).size,
    ).toBe(1)

    await changeAccount(ports, asker, 'cf', { password: 'fourth', keepFormerMs: 1 })
    expect(await fits('third')).toBe(true)
    await advance(1)
    expect(await fits('third')).toBe(false)
    expect(await fits('second')).toBe(true)

    await changeAccount(ports, asker, 'cf', { password: 'fifth' })
    for (const password of ['second', 'third', 'fourth']) expect(await fits(password)).toBe(false)
    expect(await fits('fifth')).toBe(true)
    await close()
  },
)

function saltIn(hash = ''): string {
  return hash.split('$')[4] ?? ''
}

test.each(storeKinds)(
  'a token of an account that is gone belongs to no other of its name (%s)',
  async (kind) => {
    const { ports, nodes, close } = await cluster(kind)
    const wanted = { id: 't', name: 'ci', account: 'ada', grants: [], forMs: 60_000 }
    const { text } = await makeToken(ports, asker, wanted)
    await addAccount(ports, asker, { name: 'ada', kind: 'user', password: 'first', grants: developer })

    expect(await nodes[0].stored.admit(`Bearer ${text}`)).toBeUndefined()
    await close()
  },
)

test.each(storeKinds)(
  'a token does what both it and its account may, until it is revoked or its account is gone (%s)',
  async (kind) => {
    const { ports, nodes, close } = await cluster(kind)
    await addAccount(ports, asker, { name: 'ada', kind: 'user', password: 'first', grants: developer })
    const made = (id: string, grants: readonly Grant[], forMs = 60_000) =>
      makeToken(ports, asker, { id, name: id, account: 'ada', grants, forMs })
    const all = await made('all', [])
    const bound = await made('bound', [{ role: 'operator', tenant: '*' }])
    const late = await made('late', [], -1)
    const bearer = (text: string) => `Bearer ${text}`
    for (const { stored } of nodes) {
      expect((await stored.admit(bearer(all.text)))?.token).toBe('all')
      const account = await stored.admit(bearer(bound.text))
      expect(account && permits(account.access, 'create:instances', 'acme')).toBe(true)
      expect(account && permits(account.access, 'create:instances', 'web')).toBe(false)
      expect(account && permits(account.access, 'freeze:broker', undefined)).toBe(false)
      expect(await stored.admit(bearer(late.text))).toBeUndefined()
      expect(await stored.admit(bearer(`${all.text}x`))).toBeUndefined()
    }
    expect((await ports.store.look.tokens({ id: 'all', most: 1 }))[0]?.usedAt).toBeGreaterThan(0)

    await revokeToken(ports, asker, { account: 'ada', id: 'all' })
    for (const { stored } of nodes) expect(await stored.admit(bearer(all.text))).toBeUndefined()
    await removeAccount(ports, asker, 'ada')
    for (const { stored } of nodes) expect(await stored.admit(bearer(bound.text))).toBeUndefined()
    await close()
  },
)

test.each(storeKinds)('two accounts of one name are not made, whoever is first (%s)', async (kind) => {
  const { ports, close } = await cluster(kind)
  const account = { name: 'ada', kind: 'user', password: 'first', grants: [] } as const
  const codes = await Promise.all([1, 2].map(() => codeOf(addAccount(ports, asker, account))))

  expect(codes.toSorted()).toEqual(['account.exists', 'nothing failed'])
  await close()
})

test('wrong credentials are guesses; the same right ones at once are none', async () => {
  const { ports, nodes, close } = await cluster('memory')
  await addAccount(ports, asker, { name: 'ada', kind: 'user', password: 'first', grants: developer })
  const [{ judge }] = nodes
  const right = await Promise.all(Array.from({ length: 10 }, () => judge(basic('ada', 'first'))))
  expect(right.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, () => 'ada'))

  const guess = (password: string) => codeOf(Promise.resolve().then(() => judge(basic('ada', password))))
  expect([await guess('a'), await guess('b'), await guess('c')]).toEqual([
    'request.unauthenticated',
    'request.unauthenticated',
    'request.too-many',
  ])
  // Who is known to be right is not kept out by the guesses of others.
  expect((await judge(basic('ada', 'first'))).name).toBe('ada')
  await close()
})

test('a password that comes many times at once is tried once, also when its hour is over', async () => {
  const { ports, nodes, pass, close } = await cluster('memory')
  await addAccount(ports, asker, { name: 'ada', kind: 'user', password: 'first', grants: developer })
  const [{ stored }] = nodes
  // More than may wait for a try of their own.
  const all = () => Promise.all(Array.from({ length: 200 }, () => stored.admit(basic('ada', 'first'))))
  for (let hour = 0; hour < 2; hour++) {
    expect(new Set((await all()).map((one) => one?.name))).toEqual(new Set(['ada']))
    pass(3_600_001)
  }
  const wrong = Array.from({ length: 200 }, (_, i) => stored.admit(basic(['ada', 'eve'][i % 2] ?? '', 'x')))
  expect(new Set(await Promise.all(wrong))).toEqual(new Set([undefined]))
  await close()
})

test('a hash fits its password only, however that was typed, and differs each time', async () => {
  const salt = new Uint8Array(16)
  const hash = await hashPassword('caf\u00e9', salt)

  expect(hash).toMatch(/^scrypt\$32768\$8\$1\$/)
  expect(await fitsPassword('cafe\u0301', hash)).toBe(true)
  expect(await fitsPassword('cafe', hash)).toBe(false)
  expect(await fitsPassword('caf\u00e9', 'plain')).toBe(false)
  expect(
    await fitsPassword(
      '',
      unknownHash((count) => new Uint8Array(count)),
    ),
  ).toBe(false)
})

test('while the store is away, a wrong password of the settings is a wrong one; of other names nothing is known', async () => {
  const away = () => Promise.reject(new ProblemError({ code: 'store.unavailable', detail: 'away' }))
  const look = { account: away, accounts: away, token: away, isSessionEnded: away }
  const store = { look, write: away } as Parameters<typeof makeStoredAccounts>[0]['store']
  const configured = {
    name: 'ada',
    kind: 'user',
    role: 'viewer',
    access: new Map(),
    passwords: [],
    tokens: [],
  }
  const gate = makeGate({ accounts: [configured as Account], roles: known })
  const clock = { now: () => Date.now(), monotonic: () => 0 }
  const stored = makeStoredAccounts({ store, gate, clock, chance: systemChance, node: 'n' })

  expect(await stored.admit(basic('ada', 'wrong'))).toBeUndefined()
  expect(await codeOf(stored.admit(basic('bob', 'wrong')))).toBe('store.unavailable')
})
