/** What tenants see of the catalog and how much they may have: the same at each door, tried as people of other tenants. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { register as registerCatalog } from '../../src/cli/commands/catalog.ts'
import { register as registerTenant } from '../../src/cli/commands/tenant.ts'
import { ask } from '../support/ask.ts'
import { basic, catalogOf, startTestBroker, type TestBroker } from '../support/broker.ts'
import { codeOf } from '../support/problems.ts'
import { runCommand } from '../support/run-command.ts'

const plan = (name: string, more: object = {}) => ({ name, from: 'default', description: 'One.', ...more })
const catalog = [
  {
    package: 'sim:alpha-db',
    service: { name: 'alpha-db', description: 'A pretended database.' },
    plans: [
      plan('small', { planUpdatable: true }),
      plan('large', { limit: 1 }),
      plan('private', { visibleTo: ['acme'] }),
      plan('of-org', { visibleTo: ['platform/org-1/*'] }),
    ],
  },
  {
    package: 'sim:beta-queue',
    visibleTo: ['web', 'team/*'],
    service: { name: 'beta-queue', description: 'A pretended queue.' },
    plans: [plan('plain', { mode: 'async' }), plan('open', { visibleTo: ['*'] })],
  },
]

const tenants = [
  { name: 'acme', instances: 2, bindings: 1 },
  { name: 'team/*', instances: 1 },
  { name: '*', services: ['alpha-db', 'beta-queue'] },
  { name: 'narrow', services: ['alpha-db/small'] },
]

const people = {
  ada: 'acme',
  bob: 'web',
  tea: 'team/a',
  teb: 'team/b',
  nan: 'narrow',
} as const
type Person = keyof typeof people

const users = [
  ...Object.entries(people).map(([name, tenant]) => ({ name, role: 'developer', tenants: [tenant] })),
  { name: 'all-teams', role: 'developer', tenants: ['team/*'] },
  { name: 'avi', role: 'author', tenants: ['acme'] },
  { name: 'fixed', role: 'platform', tenant: 'acme' },
].map((user) => `    - ${JSON.stringify({ ...user, password: `password-of-${user.name}` })}`)

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker(undefined, undefined, (text) =>
    catalogOf(catalog)(text)
      .replace('\nshutdown:', `\n${users.join('\n')}\nshutdown:`)
      .concat(`tenants: ${JSON.stringify(tenants)}\nquotas: {instancesPerTenant: 3}\n`),
  )
})
afterAll(() => running.stop())

function as(name: string): string {
  return name === 'platform' || name === 'admin'
    ? basic(name)
    : `Basic ${Buffer.from(`${name}:password-of-${name}`).toString('base64')}`
}

async function call(name: string, method: string, path: string, body?: object) {
  const sent = body === undefined ? {} : { body }
  const response = await ask(running, path, { as: as(name), method, ...sent })
  const text = await response.text()
  return { status: response.status, text, body: (text === '' ? {} : JSON.parse(text)) as Answer }
}

interface Answer {
  readonly code?: string
  readonly error?: string
  readonly message?: string
  readonly operation?: string
  readonly services?: readonly Service[]
}

interface Service {
  readonly id: string
  readonly name: string
  readonly plans: readonly { readonly id: string; readonly name: string }[]
}

function plansOf(services: readonly Service[] = []): readonly string[] {
  return services.flatMap(({ name, plans }) => plans.map((one) => `${name}/${one.name}`))
}

async function ended(operation: string | undefined): Promise<void> {
  await vi.waitUntil(
    async () => {
      const { text } = await call('admin', 'GET', `/api/v1/operations/${operation}`)
      return (JSON.parse(text) as { readonly state: string }).state === 'succeeded'
    },
    { timeout: 300_000 },
  )
}

const usual = ['alpha-db/small', 'alpha-db/large']
const everything = [...usual, 'alpha-db/private', 'alpha-db/of-org', 'beta-queue/plain', 'beta-queue/open']

test.each<[string, string, readonly string[]]>([
  ['ada', '/api/v1/catalog', [...usual, 'alpha-db/private', 'beta-queue/open']],
  ['bob', '/api/v1/catalog', [...usual, 'beta-queue/plain', 'beta-queue/open']],
  ['all-teams', '/api/v1/catalog', [...usual, 'beta-queue/plain', 'beta-queue/open']],
  ['nan', '/api/v1/catalog', ['alpha-db/small']],
  ['admin', '/api/v1/catalog', everything],
  ['admin', '/api/v1/catalog?tenant=narrow', ['alpha-db/small']],
  ['fixed', '/v2/catalog', [...usual, 'alpha-db/private', 'beta-queue/open']],
  ['platform', '/v2/catalog', [...usual, 'alpha-db/of-org', 'beta-queue/open']],
  ['other', '/v2/catalog', [...usual, 'beta-queue/open']],
])('%s sees by %s what its tenants see', async (name, path, plans) => {
  const { status, body } = await call(name, 'GET', path)

  expect([status, plansOf(body.services)]).toEqual([200, plans])
})

test('searches, packages and other tenants are shown as far as the tenants of the account go', async () => {
  const found = async (name: string) => (await call(name, 'GET', '/api/v1/search?text=beta')).body.services
  const packages = async (name: string) =>
    (JSON.parse((await call(name, 'GET', '/api/v1/packages')).text) as { items: { name: string }[] }).items

  expect((await found('bob'))?.map(({ name }) => name)).toEqual(['beta-queue'])
  expect(await found('nan')).toEqual([])
  expect((await packages('admin')).map(({ name }) => name)).toEqual(['alpha-db', 'beta-queue'])
  expect(await packages('avi')).toEqual([])
  expect((await call('avi', 'GET', '/api/v1/packages/alpha-db')).body.code).toBe('package.unknown')
  for (const path of ['/api/v1/catalog?tenant=acme', '/api/v1/tenants/acme', '/api/v1/tenants/never-was'])
    expect([path, (await call('bob', 'GET', path)).status]).toEqual([path, 403])
})

async function idsOf(name: string): Promise<{ readonly service: string; readonly plan: string }> {
  const { services = [] } = (await call('admin', 'GET', '/api/v1/catalog')).body
  const [service, wanted] = name.split('/')
  const found = services.find((one) => one.name === service)
  return { service: found?.id ?? '', plan: found?.plans.find((one) => one.name === wanted)?.id ?? '' }
}

/** The same request about what is hidden and about what never was; ids in the answers are made the same. */
async function both(
  name: string,
  hidden: { readonly service: string; readonly plan: string },
  request: (ids: { readonly service: string; readonly plan: string }) => readonly [string, string, object?],
) {
  const answers = []
  for (const ids of [hidden, { ...hidden, plan: 'never-was' }]) {
    const { status, text } = await call(name, ...request(ids))
    answers.push({ status, text: text.replaceAll(ids.plan, 'ID').replace(/"requestId":"[^"]*"/, '') })
  }
  return answers
}

test.each<[string, (ids: { service: string; plan: string }) => readonly [string, string, object?]]>([
  [
    'an order',
    ({ service, plan: wanted }) => [
      'PUT',
      '/v2/service_instances/i1?accepts_incomplete=true',
      { service_id: service, plan_id: wanted, organization_guid: 'o', space_guid: 's' },
    ],
  ],
  [
    'an order for the id of an instance that is there',
    ({ service, plan: wanted }) => [
      'PUT',
      '/v2/service_instances/there?accepts_incomplete=true',
      { service_id: service, plan_id: wanted, organization_guid: 'o', space_guid: 's' },
    ],
  ],
  [
    'a change',
    ({ service, plan: wanted }) => [
      'PATCH',
      '/v2/service_instances/there?accepts_incomplete=true',
      { service_id: service, plan_id: wanted },
    ],
  ],
  [
    'a binding',
    ({ service, plan: wanted }) => [
      'PUT',
      '/v2/service_instances/there/service_bindings/b1?accepts_incomplete=true',
      { service_id: service, plan_id: wanted },
    ],
  ],
  [
    'a delete of an instance that is not there',
    ({ service, plan: wanted }) => [
      'DELETE',
      `/v2/service_instances/i1?service_id=${service}&plan_id=${wanted}`,
    ],
  ],
])(
  '%s with a plan that is not seen is answered like one with a plan that is not there',
  async (_, request) => {
    const small = await idsOf('alpha-db/small')
    const there = { service_id: small.service, plan_id: small.plan, organization_guid: 'o', space_guid: 's' }
    await call('other', 'PUT', '/v2/service_instances/there?accepts_incomplete=true', there)
    await vi.waitUntil(
      async () =>
        (await call('other', 'GET', '/v2/service_instances/there/last_operation')).text.includes('succeeded'),
      { timeout: 300_000 },
    )
    for (const name of ['alpha-db/private', 'beta-queue/plain']) {
      const [hidden, missing] = await both('other', await idsOf(name), request)
      expect(hidden).toEqual(missing)
    }
  },
)

test.each(['private', 'id'])(
  'by the operator API a plan of others is not there, named by its %s',
  async (by) => {
    const { plan: id } = await idsOf('alpha-db/private')
    const wanted = by === 'id' ? id : by
    for (const url of ['/api/v1/instances', '/api/v1/instances/dry-run']) {
      const order = (name: string) => call('bob', 'POST', url, { service: 'alpha-db', plan: name })
      const plain = ({ text }: { readonly text: string }, name: string) =>
        text.replaceAll(name, 'ID').replace(/"requestId":"[^"]*"/, '')
      expect(plain(await order(wanted), wanted)).toBe(plain(await order('never-was'), 'never-was'))
    }
  },
)

test('a plan of one organisation is offered to its platform, and ordered in that organisation only', async () => {
  const { service, plan: wanted } = await idsOf('alpha-db/of-org')
  const order = (id: string, organization: string) =>
    call('platform', 'PUT', `/v2/service_instances/${id}?accepts_incomplete=true`, {
      ...{ service_id: service, plan_id: wanted, organization_guid: organization, space_guid: 's' },
      context: { platform: 'cloudfoundry', organization_guid: organization, space_guid: 's' },
    })

  expect((await order('in-2', 'org-2')).status).toBe(400)
  expect((await order('in-1', 'org-1')).status).toBe(202)
  // The instance is there, and its space does not let another organisation order in its place.
  expect((await order('in-1', 'org-2')).status).toBe(400)
})

function order(name: Person, more: object = {}) {
  return call(name, 'POST', '/api/v1/instances', { service: 'alpha-db', plan: 'small', ...more })
}

test('a tenant has as much as it may have; what is refused leaves nothing behind', async () => {
  const first = await order('ada', { id: 'a-1' })
  await ended(first.body.operation)
  expect((await order('ada', { id: 'a-2' })).status).toBe(202)
  const refused = await order('ada', { id: 'a-3' })
  expect([refused.status, refused.body.code, refused.body.message]).toEqual([
    403,
    'broker.quota',
    expect.stringContaining('the tenant acme is limited to 2 instances'),
  ])
  // A platform that orders for the same tenant finds the same bound, before anything is accepted.
  const { service, plan: small } = await idsOf('alpha-db/small')
  const osb = await call('fixed', 'PUT', '/v2/service_instances/f-1?accepts_incomplete=true', {
    ...{ service_id: service, plan_id: small, organization_guid: 'o', space_guid: 's' },
  })
  expect([osb.status, osb.body.error]).toEqual([403, 'QuotaExceeded'])
  expect((await call('ada', 'GET', '/api/v1/instances/chandler/a-3')).status).toBe(404)
  expect((await call('admin', 'GET', '/api/v1/instances/fixed/f-1')).status).toBe(404)

  const at = '/api/v1/instances/chandler/a-1/bindings'
  const bound = await call('ada', 'POST', at, { id: 'b-1' })
  expect(bound.status).toBe(202)
  await ended(bound.body.operation)
  expect((await call('ada', 'POST', at, { id: 'b-2' })).body.message).toContain('limited to 1 bindings')
  expect((await call('ada', 'POST', at, { id: 'b-1' })).status).toBe(202)
  const unbound = await call('ada', 'DELETE', `${at}/b-1`)
  await ended(unbound.body.operation)
  expect((await call('ada', 'POST', at, { id: 'b-2' })).status).toBe(202)
})

test('tenants below one name share its bound, and others have the usual one', async () => {
  const first = await order('tea', { id: 't-1' })
  expect(first.status).toBe(202)
  expect((await order('teb')).body.message).toContain(
    'the tenants team/* together are limited to 1 instances',
  )
  for (const id of ['w-1', 'w-2', 'w-3']) expect((await order('bob', { id })).status).toBe(202)
  expect((await order('bob', { id: 'w-4' })).body.message).toContain('the tenant web is limited to 3')
  const shown = JSON.parse((await call('teb', 'GET', '/api/v1/tenants/team%2Fb')).text) as object
  expect(shown).toMatchObject({
    ...{ name: 'team/b', instances: 0, quotas: { instances: 3 } },
    shared: [{ name: 'team/*', instances: { used: 1, most: 1 } }],
  })
})

test('a failed instance is ordered again in its own place, also where its tenant has all it may have', async () => {
  const parameters = { sim: { create: { outcome: 'fail' } } }
  const made = await call('nan', 'POST', '/api/v1/instances', {
    ...{ service: 'alpha-db', plan: 'small', id: 'n-1', parameters },
  })
  await vi.waitUntil(
    async () =>
      (await call('nan', 'GET', `/api/v1/operations/${made.body.operation}`)).text.includes('"failed"'),
    { timeout: 300_000 },
  )
  for (const id of ['n-2', 'n-3']) expect((await order('nan', { id })).status).toBe(202)
  expect((await order('nan', { id: 'n-4' })).status).toBe(403)
  const again = await call('nan', 'POST', `/api/v1/operations/${made.body.operation}/retry`, {
    parameters: {},
  })
  expect([again.status, again.body.code]).toEqual([202, undefined])
})

test('an instance whose plan is not seen any more lives on; no other one is made of it', async () => {
  const wish = { service: 'beta-queue', plan: 'plain', id: 'q-1' }
  await running.reload((text) => text.replace('instancesPerTenant: 3', 'instancesPerTenant: 30'))
  const made = await call('bob', 'POST', '/api/v1/instances', wish)
  await ended(made.body.operation)
  const before = (await ask(running, '/v2/catalog', { as: as('other') })).headers.get('ETag')
  await running.reload((text) => text.replace('"web","team/*"', '"elsewhere"'))

  expect(plansOf((await call('bob', 'GET', '/api/v1/catalog')).body.services)).not.toContain(
    'beta-queue/plain',
  )
  expect((await ask(running, '/v2/catalog', { as: as('other') })).headers.get('ETag')).toBe(before)
  expect((await call('bob', 'POST', '/api/v1/instances', { ...wish, id: 'q-2' })).body.code).toMatch(
    /^catalog\./,
  )
  const bound = await call('bob', 'POST', '/api/v1/instances/chandler/q-1/bindings', { id: 'b' })
  await ended(bound.body.operation)
  const gone = await call('bob', 'DELETE', '/api/v1/instances/chandler/q-1')
  await ended(gone.body.operation)
  // Its id is free, and no way back to the plan.
  expect((await call('bob', 'POST', '/api/v1/instances', wish)).body.code).toMatch(/^catalog\./)
})

test('a change to a limited plan counts as an order of it', async () => {
  const { service, plan: large } = await idsOf('alpha-db/large')
  const first = await order('bob', { id: 'l-1', plan: 'large' })
  await ended(first.body.operation)
  const small = await order('bob', { id: 'l-2' })
  await ended(small.body.operation)
  const changed = await call('bob', 'PATCH', '/api/v1/instances/chandler/l-2', { plan: 'large' })

  expect([changed.status, changed.body.code]).toEqual([403, 'broker.quota'])
  expect([service, large]).not.toContain('')
})

test('commands tell the same', async () => {
  vi.stubEnv('CHANDLER_SERVER', running.url)
  vi.stubEnv('CHANDLER_USER', 'ada')
  vi.stubEnv('CHANDLER_PASSWORD', 'password-of-ada')
  const run = (...words: readonly string[]) => runCommand(registerTenant, words)
  const seen = (...words: readonly string[]) => runCommand(registerCatalog, words)

  expect(await run('tenant', 'show', 'acme')).toMatch(
    /Instances: +2\/2\n.*Bindings: +1\/1\n.*alpha-db \(small, large, private\)/s,
  )
  expect(await run('tenant', 'list')).toMatch(/acme +2\/2 +1\/1/)
  expect(await run('tenant', 'show', 'acme')).toContain('alpha-db/private to acme')
  expect(await codeOf(run('tenant', 'show', 'web'))).toBe('request.forbidden')
  expect(await seen('catalog', '-o', 'name')).toContain('alpha-db/private\n')
  expect(await codeOf(seen('catalog', '--tenant', 'web'))).toBe('request.forbidden')
  vi.unstubAllEnvs()
})
