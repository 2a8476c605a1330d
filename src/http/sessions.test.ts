/** The cookie of a session: its form on each way to the broker, and that one of another form is none. */
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { systemChance } from '../kit/clock.ts'
import { sha256 } from '../kit/hash.ts'
import type { Account } from './authenticate.ts'
import { makeSessions, setCookie } from './sessions.ts'

const account: Account = {
  ...{ name: 'ada', kind: 'user', role: 'viewer', access: new Map() },
  ...{ passwords: [], tokens: [] },
}
const sessions = makeSessions({
  named: () => Promise.resolve(account),
  signer: { active: () => 'k', sign: (key, text) => sha256(`${key} ${text}`) },
  clock: { now: () => 1000 },
  chance: systemChance,
  limits: () => ({ idleMs: 60_000, absoluteMs: 600_000 }),
  hasEnded: () => Promise.resolve(false),
})

const manners = [
  { path: '/api', isSecure: true },
  { path: '/broker/api', isSecure: true },
  { path: '/api', isSecure: false },
] as const

const forms = [
  /^__Host-chandler-session=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  /^__Secure-chandler-session=[^;]+; Path=\/broker\/api; HttpOnly; SameSite=Strict; Secure$/,
  /^chandler-session=[^;]+; Path=\/api; HttpOnly; SameSite=Strict$/,
]

test.each(manners.map((manner, i) => [manner, forms[i]] as const))('kept on %j it is %s', (manner, form) => {
  expect(setCookie(sessions.begin(account), manner)).toMatch(form ?? /^$/)
  expect(setCookie(undefined, manner)).toContain('=; Path=')
})

test.each(manners.flatMap((kept) => manners.map((sent) => [kept, sent] as const)))(
  'kept on %j and sent on %j',
  async (kept, sent) => {
    const [cookie = ''] = setCookie(sessions.begin(account), kept).split(';')
    const request = { headers: { cookie } } as unknown as IncomingMessage

    const found = await sessions.find(request, sent)
    expect(found?.account.name).toBe(kept === sent ? 'ada' : undefined)
  },
)
