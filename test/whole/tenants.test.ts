/** Tenants from outside: what lies in another one is not there, on whichever route, and lists do not show it. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { register } from '../../src/cli/commands/access.ts'
import { register as registerTenant } from '../../src/cli/commands/tenant.ts'
import { operatorRoutes } from '../../src/http/operator/routes.ts'
import { ask } from '../support/ask.ts'
import { basic, startTestBroker, type TestBroker } from '../support/broker.ts'
import { codeOf } from '../support/problems.ts'
import { runCommand } from '../support/run-command.ts'

const people = { ada: 'acme', bob: 'web', eve: 'platform/org-1/*' } as const

function as(name: string): string {
  return `Basic ${Buffer.from(`${name}:password-of-${name}`).toString('base64')}`
}

const users = Object.entries(people)
  .map(
    ([name, tenant]) =>
      `    - {name: ${name}, password: password-of-${name}, role: developer, tenants: ["${tenant}"]}`,
  )
  .concat(
    '    - {name: avi, password: password-of-avi, role: author, tenants: [acme]}',
    '    - {name: looker, password: password-of-looker, role: names-only}',
    '    - {name: fixed, password: password-of-fixed, role: platform, tenant: acme}',
    '  roles:',
    '    - {name: names-only, permissions: ["read:broker", "read:catalog"]}',
  )
  .join('\n')

const patience = { timeout: 300_000 }

let running: TestBroker
let operation: string
beforeAll(async () => {
  running = await startTestBroker('limits: {failedLoginsPerSecond: 100000}\n', undefined, (text) =>
    text
      .replace('\nshutdown:', `\n${users}\nshutdown:`)
      .replace('  - package: sim:beta-queue\n', '  - package: sim:beta-queue\n    visibleTo: [web]\n'),
  )
  operation = await order('bob', { id: 'of-bob', name: 'secret-name' })
  const body = { id: 'app' }
  const path = '/api/v1/instances/chandler/of-bob/bindings'
  const bound = await ask(running, path, { as: as('bob'), method: 'POST', body })
  await ended(((await bound.json()) as { readonly operation: string }).operation)
  const kept = { name: 'kept', password: 'password-of-kept', grants: [{ role: 'viewer', tenant: 'web' }] }
  await ask(running, '/api/v1/accounts', { as: basic('admin'), method: 'POST', body: kept })
  await order('ada', { id: 'of-ada' })
  await provision('platform', 'of-eve', {
    platform: 'cloudfoundry',
    organization_guid: 'org-1',
    space_guid: 's',
  })
  await provision('platform', 'of-k8s', { platform: 'kubernetes', clusterid: 'c-1', namespace: 'n' })
  await provision('fixed', 'of-fixed', {})
})
afterAll(() => running.stop())

async function order(name: string, more: object): Promise<string> {
  const body = { service: 'alpha-db', plan: 'small', ...more }
  const response = await ask(running, '/api/v1/instances', { as: as(name), method: 'POST', body })
  expect(response.status).toBe(202)
  const { operation: made } = (await response.json()) as { readonly operation: string }
  await ended(made)
  return made
}

async function ended(id: string): Promise<void> {
  await vi.waitUntil(async () => {
    const response = await ask(running, `/api/v1/operations/${id}`, { as: basic('admin') })
    return ((await response.json()) as { readonly state: string }).state === 'succeeded'
  }, patience)
}

async function provision(name: string, id: string, context: object): Promise<void> {
  const catalog = (await (await ask(running, '/v2/catalog', { as: as(name) })).json()) as {
    readonly services: readonly { readonly id: string; readonly plans: readonly { readonly id: string }[] }[]
  }
  const [service] = catalog.services
  const response = await ask(running, `/v2/service_instances/${id}?accepts_incomplete=true`, {
    as: as(name),
    method: 'PUT',
    body: {
      ...{ service_id: service?.id, plan_id: service?.plans[0]?.id, context },
      ...{ organization_guid: 'o', space_guid: 's' },
    },
  })
  expect([201, 202]).toContain(response.status)
  const { operation: made } = (await response.json()) as { readonly operation?: string }
  if (made !== undefined) await ended(made)
}

/** By what stands in an address: an id that another tenant or account has, and one as long that there never was. */
async function idsAt(url: string): Promise<Readonly<Record<string, readonly [string, string]>>> {
  const { id: token } = await made('bob', '/api/v1/tokens', { name: 'of-bob', days: 1 })
  const { keys } = (await (await ask(running, '/api/v1/keys', { as: basic('admin') })).json()) as Keys
  const key = keys[0]?.id ?? ''
  return {
    platform: ['chandler', 'chandler'],
    instance: ['of-bob', 'no-bob'],
    binding: ['app', 'apx'],
    operation: [operation, '0'.repeat(operation.length)],
    tenant: ['web', 'wob'],
    account: ['kept', 'lost'],
    token: [token, '0'.repeat(token.length)],
    key: [key, '0'.repeat(key.length)],
    name: url.startsWith('/packages') ? ['beta-queue', 'beta-quiet'] : ['report', 'report'],
  }
}

interface Keys {
  readonly keys: readonly { readonly id: string }[]
}

async function made(name: string, path: string, body: object): Promise<{ readonly id: string }> {
  const response = await ask(running, path, { as: as(name), method: 'POST', body })
  expect(response.status).toBeLessThan(300)
  return (await response.json()) as { readonly id: string }
}

const things = operatorRoutes.filter(({ url }) => url.includes('/:'))

test.each(things.map((route) => [route.method, route.url] as const))(
  '%s %s answers for what others have as for what is not there',
  async (method, url) => {
    const ids = await idsAt(url)
    const asked = async (which: 0 | 1) => {
      const used = new Set<string>()
      const path = url.replaceAll(/:(\w+)/g, (_, param: string) => {
        // A route with an id of a new kind needs a row above.
        const id = ids[param]?.[which] ?? ''
        expect([param, id]).not.toEqual([param, ''])
        used.add(id)
        return id
      })
      const response = await fetch(`${running.url}/api/v1${path}`, {
        method,
        headers: { Authorization: as('avi'), 'X-Request-ID': 'same' },
      })
      const { date: _, ...headers } = Object.fromEntries(response.headers)
      const text = [...used].reduce((all, id) => all.replaceAll(id, 'ID'), await response.text())
      return { status: response.status, headers, text }
    }
    const others = await asked(0)

    expect(others).toEqual(await asked(1))
    expect([403, 404, 410]).toContain(others.status)
  },
)

async function listed(name: string, path: string): Promise<readonly { readonly id: string }[]> {
  const response = await ask(running, path, { as: as(name) })
  expect(response.status).toBe(200)
  return ((await response.json()) as { readonly items: readonly { readonly id: string }[] }).items
}

test.each([
  ['ada', ['of-ada', 'of-fixed']],
  ['bob', ['of-bob']],
  ['eve', ['of-eve']],
] as const)('%s lists, finds and counts what is theirs', async (name, ids) => {
  expect((await listed(name, '/api/v1/instances')).map(({ id }) => id)).toEqual(ids)
  // One instance of bob is bound.
  expect(await listed(name, '/api/v1/operations')).toHaveLength(ids.length + (name === 'bob' ? 1 : 0))
  const search = await ask(running, '/api/v1/search?text=of-', { as: as(name) })
  const found = (await search.json()) as { readonly instances: readonly { readonly id: string }[] }
  expect(found.instances.map(({ id }) => id)).toEqual(ids)
  const byOperation = await ask(running, `/api/v1/search?text=${operation}`, { as: as(name) })
  expect(((await byOperation.json()) as { operations: unknown[] }).operations).toHaveLength(
    name === 'bob' ? 1 : 0,
  )
  const catalog = await ask(running, '/api/v1/catalog', { as: as(name) })
  const { services } = (await catalog.json()) as {
    readonly services: readonly { readonly plans: readonly { readonly instances: number }[] }[]
  }
  const counted = services.flatMap(({ plans }) => plans).reduce((sum, { instances }) => sum + instances, 0)
  expect(counted).toBe(ids.length)
})

test.each([
  ['admin', 'acme', ['of-ada', 'of-fixed']],
  ['admin', 'platform/*', ['of-eve', 'of-k8s']],
  ['admin', 'never-was', []],
  ['eve', 'platform/org-1/*', ['of-eve']],
  ['eve', 'platform/org-1/s', ['of-eve']],
  ['eve', 'platform/*', undefined],
  ['ada', 'web', undefined],
  ['ada', 'never-was', undefined],
] as const)('%s asks for the instances of %s: %j', async (name, tenant, ids) => {
  const by = name === 'admin' ? basic('admin') : as(name)
  const path = `/api/v1/instances?tenant=${encodeURIComponent(tenant)}`
  const response = await ask(running, path, { as: by })
  const { items } = (await response.json()) as { readonly items?: readonly { readonly id: string }[] }

  expect([response.status, items?.map(({ id }) => id)]).toEqual([ids === undefined ? 403 : 200, ids])
})

test('the context of a platform says which tenant it is', async () => {
  const response = await ask(running, '/api/v1/tenants', { as: basic('admin') })
  const { items } = (await response.json()) as { readonly items: readonly { readonly name: string }[] }

  expect(items.map(({ name }) => name)).toEqual(['acme', 'platform/c-1/n', 'platform/org-1/s', 'web'])
  expect((await listed('eve', '/api/v1/tenants')).length).toBe(1)
})

test('an order is for the tenant of who orders, and takes over nothing of others', async () => {
  const { items } = (await (await ask(running, '/api/v1/instances', { as: as('bob') })).json()) as {
    readonly items: readonly { readonly tenant: string }[]
  }
  expect(items).toMatchObject([{ tenant: 'web' }])
  const sent = (body: object) =>
    ask(running, '/api/v1/instances', {
      as: as('ada'),
      method: 'POST',
      body: { service: 'alpha-db', plan: 'small', ...body },
    })
  expect((await sent({ id: 'of-bob' })).status).toBe(409)
  expect((await sent({ tenant: 'web' })).status).toBe(403)
  expect((await sent({ platform: 'platform' })).status).toBe(403)
})

test('a role of the configuration may do what it says and nothing else', async () => {
  const status = async (path: string) => (await ask(running, `/api/v1${path}`, { as: as('looker') })).status

  expect(await status('/catalog')).toBe(200)
  expect(await status('/instances')).toBe(403)
  expect(await status('/can-i?permission=read:catalog')).toBe(200)
  expect(await status('/can-i?permission=read:catalogue')).toBe(400)
})

test('commands tell who one is, what one may do, and which roles and tenants there are', async () => {
  vi.stubEnv('CHANDLER_SERVER', running.url)
  vi.stubEnv('CHANDLER_USER', 'ada')
  vi.stubEnv('CHANDLER_PASSWORD', 'password-of-ada')
  const run = (...words: readonly string[]) => runCommand(register, words)

  expect(await run('whoami')).toContain('create:instances')
  expect(await run('can-i', 'create:instances', '--tenant', 'acme')).toBe('yes\n')
  expect(await codeOf(run('can-i', 'create:instances', '--tenant', 'web'))).toBe('request.forbidden')
  expect(await run('role', 'list')).toContain('names-only (own)')
  expect(await runCommand(registerTenant, ['tenant', 'list', '-o', 'name'])).toBe('acme\n')
  vi.unstubAllEnvs()
})

/** Follows changes; answers how many were told so far. */
function following(name: string, authorization = as(name)) {
  const leaving = new AbortController()
  const told: number[] = []
  const end = (async () => {
    const response = await fetch(`${running.url}/api/v1/changes`, {
      headers: { Authorization: authorization, Accept: 'text/event-stream' },
      signal: leaving.signal,
    })
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
      for (const [, id] of piece.matchAll(/^id: ?(\d+)$/gm)) told.push(Number(id))
  })().catch(() => undefined)
  const stop = async () => {
    leaving.abort()
    await end
  }
  return { told, stop }
}

// Last, for it orders more.
test('of changes each learns those of its tenants, and nothing of others', async () => {
  const [admin, ada, bob] = [following('admin', basic('admin')), following('ada'), following('bob')]
  try {
    for (const one of [admin, ada, bob]) await vi.waitUntil(() => one.told.length > 0, patience)
    const before = { admin: admin.told.length, ada: ada.told.length, bob: bob.told.length }
    await order('bob', { id: 'changing' })
    await vi.waitUntil(() => bob.told.length > before.bob && admin.told.length > before.admin, patience)
    // Its look is made after that of the change was told to the others.
    await order('bob', { id: 'changing-too' })
    const seen = bob.told.length
    await vi.waitUntil(() => bob.told.length > seen, patience)

    expect(ada.told.length).toBe(before.ada)
    expect(bob.told).toEqual(bob.told.toSorted((a, b) => a - b))
  } finally {
    for (const one of [admin, ada, bob]) await one.stop()
  }
})
