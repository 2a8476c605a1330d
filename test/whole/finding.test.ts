/** How people find things: lists with the latest first, the search over everything, the audit trail of one thing; API and command line. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { register as registerAudit } from '../../src/cli/commands/audit.ts'
import { register as registerInstance } from '../../src/cli/commands/instance.ts'
import { register as registerSearch } from '../../src/cli/commands/search.ts'
import { ask } from '../support/ask.ts'
import { basic, passwords, startTestBroker, type TestBroker } from '../support/broker.ts'
import { runCommand } from '../support/run-command.ts'

let running: TestBroker
const ids = ['shop-db', 'shop-cache', 'mail-db']
beforeAll(async () => {
  running = await startTestBroker()
  for (const id of ids) {
    const body = { service: 'alpha-db', plan: 'small', id, name: `name of ${id}` }
    const { operation } = await json('POST', '/instances', body)
    await ended(operation)
  }
  const { operation } = await json('POST', '/instances/chandler/shop-db/bindings', { id: 'shop-app' })
  await ended(operation)
})
afterAll(() => running.stop())

type Answer = { readonly [key: string]: Answer } & {
  readonly items: readonly Item[]
  readonly operation: string
  readonly next: number
  readonly instances: readonly Item[]
  readonly bindings: readonly Item[]
  readonly services: readonly Item[]
  readonly operations: readonly Item[]
}

async function json(method: string, path: string, body?: object): Promise<Answer> {
  const as = basic('admin')
  const response = await ask(running, `/api/v1${path}`, { as, method, ...(body ? { body } : {}) })
  return (await response.json()) as Answer
}

async function ended(operation: string): Promise<void> {
  const response = await fetch(`${running.url}/api/v1/operations/${operation}/log`, {
    headers: { Authorization: basic('admin'), Accept: 'text/event-stream' },
  })
  await response.text()
}

interface Item {
  readonly id: string
  readonly seq: number
  readonly action: string
  readonly object: { readonly id: string; readonly instance?: string }
}

const idsOf = (page: { readonly items: readonly Item[] }) => page.items.map(({ id }) => id)

test.each([
  ['beginning=shop', ['shop-cache', 'shop-db']],
  ['beginning=name%20of%20mail', ['mail-db']],
  ['order=latest&present=true', ids.toReversed()],
])('instances are listed by %s', async (query, expected) => {
  expect(idsOf(await json('GET', `/instances?${query}`))).toEqual(expected)
})

test('a search finds services, instances, bindings and operations', async () => {
  const found = await json('GET', '/search?text=shop')
  const [operation] = (await json('GET', '/operations?limit=1')).items
  expect([idsOf({ items: found.instances }), idsOf({ items: found.bindings })]).toEqual([
    ['shop-cache', 'shop-db'],
    ['shop-app'],
  ])
  expect((await json('GET', '/search?text=alpha')).services).toMatchObject([{ name: 'alpha-db' }])
  expect(idsOf({ items: (await json('GET', `/search?text=${operation!.id}`)).operations })).toEqual([
    operation!.id,
  ])
})

test('the audit trail of one thing with its bindings, or of one deed, the latest first, in pages that join up', async () => {
  const about = await json('GET', '/audit?object=shop-db')
  const things = about.items.map(({ object: { instance, id } }: Item) =>
    [instance, id].filter(Boolean).join('/'),
  )
  expect(new Set(things)).toEqual(new Set(['shop-db', 'shop-db/shop-app']))
  const all = await json('GET', '/audit?action=instance.provision')
  const seqs = all.items.map(({ seq }: Item) => seq)
  expect(seqs).toEqual(seqs.toSorted((a: number, b: number) => b - a))
  const first = await json('GET', '/audit?action=instance.provision&limit=2')
  const second = await json('GET', `/audit?action=instance.provision&limit=2&before=${first.next}`)
  expect([...first.items, ...second.items].map(({ seq }: Item) => seq)).toEqual(seqs.slice(0, 4))
  const latest = await json('GET', '/audit?latest=true&limit=1')
  expect(latest.items[0]!.seq).toBeGreaterThanOrEqual(seqs[0]!)
})

test('the command line finds the same', async () => {
  const login = ['--server', running.url, '--user', 'admin']
  process.env['CHANDLER_PASSWORD'] = passwords.admin
  const found = await runCommand(registerSearch, ['search', 'shop', ...login])
  const trail = await runCommand(registerAudit, [
    'audit',
    'list',
    '--object',
    'shop-db',
    '-o',
    'json',
    ...login,
  ])
  const list = await runCommand(registerInstance, [
    'instance',
    'list',
    '--beginning',
    'mail',
    '-o',
    'name',
    ...login,
  ])
  delete process.env['CHANDLER_PASSWORD']

  expect(found).toMatch(/instance +name of shop-db +shop-db +ready/)
  expect(found).toMatch(/binding +- +shop-app +bound, of shop-db/)
  expect((JSON.parse(trail) as { readonly items: readonly Item[] }).items.length).toBeGreaterThan(1)
  expect(list.trim()).toBe('name of mail-db')
})
