/** The audit trail of a tenant: its reader sees what was done to what is the tenant's, and nothing of others or of the broker. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { AuditPage } from '../../src/api/audit.ts'
import { proveAudit } from '../../src/api/audit-proof.ts'
import { register } from '../../src/cli/commands/audit.ts'
import { ask } from '../support/ask.ts'
import { startTestBroker, type TestBroker } from '../support/broker.ts'
import { codeOf } from '../support/problems.ts'
import { runCommand } from '../support/run-command.ts'

const users = [
  { name: 'ada', role: 'developer', tenants: ['acme'] },
  { name: 'bob', role: 'developer', tenants: ['web'] },
  { name: 'rev', role: 'auditor', tenants: ['acme'] },
  { name: 'all', role: 'auditor' },
].map((user) => `    - ${JSON.stringify({ ...user, password: `password-of-${user.name}` })}\n`)

const patience = { timeout: 60_000 }

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker(undefined, undefined, (text) =>
    text.replace('\nshutdown:', `\n${users.join('')}shutdown:`),
  )
  for (const [name, id] of [
    ['ada', 'of-ada'],
    ['bob', 'of-bob'],
  ] as const) {
    const order = { service: 'alpha-db', plan: 'small', id }
    expect(await status(name, '/instances', order)).toBe(202)
    await vi.waitUntil(async () => (await state(name, id)) === 'ready', patience)
  }
  // Refused, and each on record with the tenant of what it was about.
  expect(await status('bob', '/instances/chandler/of-bob/purge', {})).toBe(403)
  expect(await status('ada', '/instances/chandler/of-ada/purge', {})).toBe(403)
  expect(await status('ada', '/freeze', { reason: 'none of hers' })).toBe(403)
  vi.stubEnv('CHANDLER_SERVER', running.url)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await running.stop()
})

function as(name: string): string {
  return `Basic ${Buffer.from(`${name}:password-of-${name}`).toString('base64')}`
}

async function status(name: string, path: string, body?: object): Promise<number> {
  const sent = body === undefined ? {} : { method: 'POST', body }
  return (await ask(running, `/api/v1${path}`, { as: as(name), ...sent })).status
}

async function state(name: string, id: string): Promise<string> {
  const response = await ask(running, `/api/v1/instances/chandler/${id}`, { as: as(name) })
  return ((await response.json()) as { readonly state: string }).state
}

async function trail(name: string, query = ''): Promise<AuditPage['items']> {
  const response = await ask(running, `/api/v1/audit?limit=500${query}`, { as: as(name) })
  expect(response.status).toBe(200)
  return ((await response.json()) as AuditPage).items
}

const told = (records: AuditPage['items']) =>
  records.map(({ action, object, decision, result }) => [
    `${action} ${object.id}`,
    decision === 'denied' ? decision : result,
  ])

test('its reader sees what was done to what is of the tenant, refusals among it', async () => {
  const mine = await trail('rev')

  expect(told(mine)).toEqual([
    ['instance.provision of-ada', 'started'],
    ['instance.provision of-ada', 'succeeded'],
    ['instance.purge of-ada', 'denied'],
  ])
  expect(new Set(mine.map(({ tenant }) => tenant))).toEqual(new Set(['acme']))
  expect(await trail('rev', '&latest=true')).toEqual(mine.toReversed())
  expect(await trail('rev', '&object=of-bob')).toEqual([])
  expect(await trail('rev', '&action=broker.freeze')).toEqual([])
})

test('a reader of all tenants sees everything, or one of them', async () => {
  const all = await trail('all')
  const actions = all.map(({ action }) => action)

  expect(actions).toContain('broker.start')
  expect(actions).toContain('broker.freeze')
  expect(all.filter(({ tenant }) => tenant === 'acme')).toEqual(await trail('rev'))
  expect(told(await trail('all', '&tenant=web')).map(([what]) => what)).toEqual([
    'instance.purge of-bob',
    'instance.provision of-bob',
    'instance.provision of-bob',
  ])
})

test('the whole chain is for readers of all tenants', async () => {
  expect(await status('all', '/audit/verify')).toBe(200)
  expect(await status('rev', '/audit/verify')).toBe(403)
  expect(await status('rev', '/audit?tenant=web')).toBe(403)
  expect(await status('ada', '/audit')).toBe(403)
})

test('each record of a tenant proves itself, and stands in the chain of all', async () => {
  const [mine, all] = [await trail('rev'), await trail('all')]

  expect(proveAudit({ records: all, anchors: [] }).faults).toEqual([])
  for (const record of mine) expect(all).toContainEqual(record)
  const [first] = mine
  const moved = { records: all.map((one) => (one.seq === first?.seq ? { ...one, tenant: 'web' } : one)) }
  expect(proveAudit({ ...moved, anchors: [] }).faults).toEqual([`record ${first?.seq} was changed`])
})

test('the command shows the same', async () => {
  const as = (name: string) => {
    vi.stubEnv('CHANDLER_USER', name)
    vi.stubEnv('CHANDLER_PASSWORD', `password-of-${name}`)
  }
  const run = (...words: readonly string[]) => runCommand(register, ['audit', ...words])
  as('rev')

  expect(await run('list', '-o', 'wide')).toMatch(/acme .*of-ada/)
  expect(await run('list')).not.toContain('of-bob')
  expect(await codeOf(run('list', '--tenant', 'web'))).toBe('request.forbidden')
  expect(await codeOf(run('verify'))).toBe('request.forbidden')
  as('all')
  expect(await run('list', '--tenant', 'web', '-o', 'name')).toMatch(/^\d+\n\d+\n\d+\n$/)
})
