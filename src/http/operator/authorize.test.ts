/** Which account may use which route on the instances of which owner: every role, route, tenant and owner, from the table of routes. */
import { describe, expect, test } from 'vitest'
import { codeOf } from '../../../test/support/problems.ts'
import { accessOf, roles } from '../../model/access.ts'
import type { InstanceKey } from '../../model/instance.ts'
import { authorize, placed } from './authorize.ts'
import { operatorRoutes } from './routes.ts'

const everyone = 'viewer developer author operator admin auditor'
const lookers = 'viewer developer author operator'
const makers = 'developer author operator'

/** The roles that may use a route; a route without a row fails, as does a row without a route. */
const rows: Readonly<Record<string, string>> = {
  'POST /session': everyone,
  'GET /session': everyone,
  'DELETE /session': everyone,
  'GET /whoami': everyone,
  'GET /can-i': everyone,
  'GET /roles': everyone,
  'GET /tenants': `${lookers} admin`,
  'GET /tenants/:tenant': `${lookers} admin`,
  'POST /tenants': 'operator admin',
  'PATCH /tenants/:tenant': 'operator admin',
  'DELETE /tenants/:tenant': 'operator admin',
  'DELETE /tenants/:tenant/key': 'operator admin',
  'GET /tokens': everyone,
  'POST /tokens': everyone,
  'DELETE /tokens/:token': everyone,
  'POST /password': everyone,
  'GET /accounts': 'admin',
  'POST /accounts': 'admin',
  'PATCH /accounts/:account': 'admin',
  'DELETE /accounts/:account': 'admin',
  'GET /about': everyone,
  'GET /problems': everyone,
  'GET /changes': everyone,
  'GET /catalog': lookers,
  'POST /packages': 'author operator',
  'DELETE /packages/:name': 'author operator',
  'GET /packages': 'viewer author operator',
  'GET /packages/:name': 'viewer author operator',
  'GET /cluster': 'viewer operator admin',
  'GET /health': 'viewer operator admin',
  'GET /examination': 'operator admin',
  'POST /freeze': 'operator',
  'DELETE /freeze': 'operator',
  'GET /keys': 'admin',
  'POST /keys': 'admin',
  'POST /keys/:key/activate': 'admin',
  'DELETE /keys/:key': 'admin',
  'POST /keys/rotate': 'admin',
  'POST /backups': 'admin',
  'GET /support-bundle': 'operator',
  'GET /audit': 'auditor',
  'GET /audit/verify': 'auditor',
  'GET /search': lookers,
  'GET /instances': lookers,
  'POST /instances': makers,
  'POST /instances/dry-run': makers,
  'GET /instances/:platform/:instance': lookers,
  'PATCH /instances/:platform/:instance': makers,
  'POST /instances/:platform/:instance/dry-run': makers,
  'DELETE /instances/:platform/:instance': makers,
  'POST /instances/:platform/:instance/purge': 'operator',
  'POST /instances/:platform/:instance/repin': 'operator',
  'POST /instances/:platform/:instance/rename': makers,
  'POST /instances/:platform/:instance/adopt': 'operator',
  'POST /instances/:platform/:instance/adopt/dry-run': 'operator',
  'GET /instances/:platform/:instance/why': lookers,
  'GET /instances/:platform/:instance/outputs': lookers,
  'GET /instances/:platform/:instance/outputs/:name': makers,
  'GET /instances/:platform/:instance/actions': lookers,
  'POST /instances/:platform/:instance/invoke': makers,
  'GET /instances/:platform/:instance/bindings': lookers,
  'POST /instances/:platform/:instance/bindings': makers,
  'POST /instances/:platform/:instance/bindings/dry-run': makers,
  'GET /instances/:platform/:instance/bindings/:binding': lookers,
  'GET /instances/:platform/:instance/bindings/:binding/credentials': makers,
  'POST /instances/:platform/:instance/bindings/:binding/rotate': makers,
  'DELETE /instances/:platform/:instance/bindings/:binding': makers,
  'GET /operations': lookers,
  'GET /operations/:operation': lookers,
  'GET /operations/:operation/history': lookers,
  'GET /operations/:operation/runs': lookers,
  'GET /operations/:operation/log': lookers,
  'GET /operations/:operation/why': lookers,
  'POST /operations/:operation/cancel': makers,
  'POST /operations/:operation/retry': makers,
  'POST /operations/:operation/release': 'operator',
  'GET /operations/:operation/outputs': lookers,
  'GET /operations/:operation/outputs/:name': makers,
}

/** What must be held in every tenant at once. */
const whole =
  /^(?:GET \/cluster|GET \/health|GET \/examination|\w+ \/freeze|\w+ \/keys.*|POST \/backups|GET \/support-bundle|GET \/audit\/verify|\w+ \/accounts.*|(?:POST|PATCH|DELETE) \/tenants.*)$/

const nameOf = ({ method, url }: { readonly method: string; readonly url: string }) => `${method} ${url}`

test('each route has a row, and each row a route', () => {
  expect(Object.keys(rows).toSorted()).toEqual(operatorRoutes.map(nameOf).toSorted())
})

/** What `codeOf` says of what does not fail. */
const allowed = 'nothing failed'

const known = new Map(Object.entries(roles))
const owners = ['chandler', 'cf'] as const
const tenants = ['acme', 'acme/web', 'other', undefined] as const
const scopes = ['*', 'acme', 'acme/*', 'other'] as const

/** What a grant's tenant covers, told apart from how the product finds that out. */
const covered: Readonly<Record<(typeof scopes)[number], readonly string[]>> = {
  '*': ['acme', 'acme/web', 'other'],
  acme: ['acme'],
  'acme/*': ['acme/web'],
  other: ['other'],
}

describe.each(Object.keys(roles))('%s', (role) => {
  test.each(operatorRoutes.map((route) => [nameOf(route), route] as const))('%s', async (name, route) => {
    for (const scope of scopes)
      for (const platform of owners)
        for (const tenant of tenants) {
          const access = accessOf([{ role, tenant: scope }], known)
          const params = {
            platform,
            instance: 'i-1',
            binding: 'b-1',
            operation: 'o-1',
            name: 'n',
            key: 'k',
            account: 'a',
            token: 't',
          }
          const look = {
            tenantOf: (thing: InstanceKey | { readonly operation: string }) =>
              Promise.resolve('operation' in thing || thing.platform === platform ? tenant : undefined),
          }
          const named = Object.fromEntries(
            Object.entries(params).filter(([one]) => route.url.split('/').includes(`:${one}`)),
          )
          const request = { params: named, query: {} }
          const answered = await codeOf(authorize(look, route, { access, request, rules: [] }))

          expect([scope, platform, tenant, answered]).toEqual([
            scope,
            platform,
            tenant,
            expectedOf({ name, role, scope, tenant }),
          ])
        }
  })
})

interface Case {
  readonly name: string
  readonly role: string
  readonly scope: (typeof scopes)[number]
  readonly tenant: string | undefined
}

function expectedOf({ name, role, scope, tenant }: Case): string {
  if (!rows[name]?.split(' ').includes(role)) return 'request.forbidden'
  if (whole.test(name)) return scope === '*' ? allowed : 'request.forbidden'
  if (scope === '*') return allowed
  const kind = ['operation', 'instance'].find((one) => name.includes(`:${one}`))
  if (kind === undefined) return allowed
  return tenant !== undefined && covered[scope].includes(tenant) ? allowed : `${kind}.unknown`
}

test('a forced cancel is more than a cancel', async () => {
  const cancel = operatorRoutes.find(({ url }) => url.endsWith('/cancel'))
  const look = { tenantOf: () => Promise.resolve('acme') }
  const code = (role: string, query: object) =>
    codeOf(
      authorize(look, cancel ?? { needs: 'read:broker' }, {
        access: accessOf([{ role, tenant: 'acme' }], known),
        request: { params: { operation: 'o-1' }, query },
        rules: [],
      }),
    )

  expect(await code('developer', {})).toBe(allowed)
  expect(await code('developer', { force: 'true' })).toBe('request.forbidden')
  expect(await code('operator', { force: 'true' })).toBe(allowed)
})

test.each([
  ['acme', 'operators', 'acme', 'request.forbidden'],
  ['acme', 'operators', '*', allowed],
  ['*', 'operators', 'acme', 'request.forbidden'],
  ['other', 'operators', 'acme', allowed],
  ['acme', 'tenant', 'acme', allowed],
] as const)('where logs of %s are for the %s, a viewer in %s: %s', async (name, logs, tenant, expected) => {
  const log = operatorRoutes.find(({ url }) => url.endsWith('/log')) ?? { needs: 'read:broker' as const }
  const access = accessOf([{ role: 'viewer', tenant }], known)
  const request = { params: { operation: 'o-1' }, query: {} }
  const rules = [{ name, logs }]

  expect(
    await codeOf(authorize({ tenantOf: () => Promise.resolve('acme') }, log, { access, request, rules })),
  ).toBe(expected)
})

test('who sees a thing and may not do something with it is told so', async () => {
  const purge = operatorRoutes.find(({ url }) => url.endsWith('/purge')) ?? { needs: 'read:broker' as const }
  const access = accessOf(
    [
      { role: 'viewer', tenant: 'acme' },
      { role: 'operator', tenant: 'other' },
    ],
    known,
  )
  const look = { tenantOf: () => Promise.resolve('acme') }
  const request = { params: { platform: 'cf', instance: 'i-1' }, query: {} }

  expect(await codeOf(authorize(look, purge, { access, request, rules: [] }))).toBe('request.forbidden')
})

describe('the tenant of something new', () => {
  const needs = { needs: 'create:instances' } as const
  const of = (...where: readonly string[]) =>
    accessOf(
      where.map((tenant) => ({ role: 'developer', tenant })),
      known,
    )
  test.each([
    ['of one tenant', of('acme'), {}, { tenant: 'acme' }],
    ['who names their own', of('acme', 'web'), { tenant: 'web' }, { tenant: 'web' }],
    ['below an organisation', of('acme/*'), { tenant: 'acme/x' }, { tenant: 'acme/x' }],
    ['of all tenants', of('*'), {}, {}],
    ['of all tenants who names one', of('*'), { tenant: 'x' }, { tenant: 'x' }],
  ])('%s', (_name, access, body, expected) => {
    expect(placed(access, needs, body)).toEqual(expected)
  })
  test.each([
    ['must be named by who has several', of('acme', 'web'), {}, 'request.malformed'],
    ['must be named by who has an organisation', of('acme/*'), {}, 'request.malformed'],
    ['is not one of others', of('acme'), { tenant: 'web' }, 'request.forbidden'],
    ['is not one beside an organisation', of('acme/*'), { tenant: 'acmeweb' }, 'request.forbidden'],
    ['is not on behalf of a platform', of('acme'), { platform: 'cf' }, 'request.forbidden'],
  ])('%s', async (_name, access, body, code) => {
    expect(await codeOf(Promise.resolve().then(() => placed(access, needs, body)))).toBe(code)
  })
})
