/** Sandbox packages of authors: offered to the tenant of the sandbox and those it is shared with, bounded in number, audited. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AuditPage } from '../../src/api/audit.ts'
import type { Package } from '../../src/api/package.ts'
import { register } from '../../src/cli/commands/package.ts'
import { bundleLabels, pushImage } from '../sources/push.ts'
import { ask } from '../support/ask.ts'
import { basic, startTestBroker, type TestBroker } from '../support/broker.ts'
import { codeOf } from '../support/problems.ts'
import { registryMissing, startRegistry, type TestRegistry } from '../support/registry.ts'
import { runCommand } from '../support/run-command.ts'

const users = [
  { name: 'avi', role: 'author', tenants: ['acme'] },
  { name: 'wim', role: 'author', tenants: ['web', 'web/*'] },
  { name: 'dev', role: 'developer', tenants: ['acme'] },
  { name: 'bob', role: 'developer', tenants: ['other'] },
  { name: 'cf', role: 'platform' },
  { name: 'own', role: 'platform', tenant: 'acme' },
].map((user) => `    - ${JSON.stringify({ ...user, password: `password-of-${user.name}` })}\n`)

function as(name: string): string {
  return name === 'admin'
    ? basic(name)
    : `Basic ${Buffer.from(`${name}:password-of-${name}`).toString('base64')}`
}

interface Answer {
  readonly code?: string
  readonly message?: string
  readonly name?: string
  readonly state?: string
  readonly tenant?: string
  readonly operation?: string
  readonly services?: readonly {
    readonly id: string
    readonly name: string
    readonly plans: readonly { readonly id: string; readonly name: string }[]
  }[]
}

describe.skipIf(registryMissing() !== undefined)('sandboxes', () => {
  let registry: TestRegistry
  let running: TestBroker
  let isUp = true
  const stopRegistry = async () => {
    if (isUp) await registry.stop()
    isUp = false
  }
  const images: Record<string, string> = {}
  const name = (image: string) => `docker://${registry.host}/${image}@${images[image]}`

  beforeAll(async () => {
    registry = await startRegistry()
    for (const image of ['redis', 'queue', 'third'])
      images[image] = await pushImage(registry.host, image, bundleLabels(image))
    images['broken'] = await pushImage(registry.host, 'broken', {
      'com.redhat.apb.spec': Buffer.from('name: [').toString('base64'),
    })
    running = await startTestBroker(
      `sandbox: {registries: ["${registry.host}"], packagesPerTenant: 2}\ntenants: [{name: acme, services: [alpha-db]}]\n`,
      undefined,
      (text) => text.replace('\nshutdown:', `\n${users.join('')}shutdown:`),
    )
    vi.stubEnv('CHANDLER_SERVER', running.url)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await running.stop()
    await stopRegistry()
  })

  async function call(who: string, method: string, path: string, body?: object) {
    const sent = body === undefined ? {} : { body }
    const response = await ask(running, path, { as: as(who), method, ...sent })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Answer }
  }
  const add = (who: string, body: object) => call(who, 'POST', '/api/v1/packages', body)
  async function services(who: string, path = '/api/v1/catalog'): Promise<readonly string[]> {
    const { body } = await call(who, 'GET', path)
    return (body.services ?? []).map((one) => one.name).filter((one) => one.startsWith('sandbox-'))
  }
  async function packages(who: string): Promise<readonly string[]> {
    const response = await ask(running, '/api/v1/packages', { as: as(who) })
    const { items } = (await response.json()) as { readonly items: readonly Package[] }
    return items.map((one) => one.name).filter((one) => one.startsWith('sandbox/'))
  }
  const atAcme = ['sandbox-822b33ad-redis']

  test('a package is offered to the tenant of its author, whatever else that sees', async () => {
    const made = await add('avi', { name: 'redis', reference: name('redis') })

    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ name: 'sandbox/acme/redis', tenant: 'acme', state: 'offered' })
    for (const who of ['avi', 'dev', 'admin']) expect([who, (await services(who)).length]).toEqual([who, 1])
    expect(await services('own', '/v2/catalog')).toEqual(await services('dev'))
    expect(await packages('avi')).toEqual(['sandbox/acme/redis'])
    expect(await packages('admin')).toEqual(['sandbox/acme/redis'])
  })

  test('no other tenant and no platform sees it or orders it', async () => {
    for (const who of ['wim', 'bob']) {
      expect([who, await services(who)]).toEqual([who, []])
      const path = '/api/v1/packages/sandbox%2Facme%2Fredis'
      expect((await call(who, 'DELETE', path)).status).toBe(who === 'wim' ? 404 : 403)
    }
    expect(await packages('wim')).toEqual([])
    expect(await services('cf', '/v2/catalog')).toEqual([])
    const { body } = await call('dev', 'GET', '/api/v1/catalog')
    const service = body.services?.find((one) => one.name.startsWith('sandbox-'))
    const order = { service: service?.name, plan: 'default' }
    const ordered = async (what: object) => {
      const { status, body: answered } = await call('bob', 'POST', '/api/v1/instances', what)
      return [status, answered.code]
    }
    expect(await ordered(order)).toEqual(await ordered({ ...order, service: 'never-was' }))
    const ids = {
      service_id: service?.id,
      plan_id: service?.plans[0]?.id,
      organization_guid: 'o',
      space_guid: 's',
    }
    const put = await call('cf', 'PUT', '/v2/service_instances/i-1?accepts_incomplete=true', ids)
    expect(put.status).toBe(400)
    const whole = { ...order, context: { namespace: 'n' } }
    expect((await call('dev', 'POST', '/api/v1/instances', whole)).status).toBe(202)
  })

  test('the same package stands in several sandboxes, each under names and ids of its own', async () => {
    expect((await add('wim', { name: 'redis', reference: name('redis') })).status).toBe(400)
    expect((await add('wim', { name: 'redis', reference: name('redis'), tenant: 'web/a' })).status).toBe(201)

    const { body } = await call('admin', 'GET', '/api/v1/catalog')
    const both = (body.services ?? []).filter((one) => one.name.startsWith('sandbox-'))
    expect(new Set(both.map(({ id }) => id)).size).toBe(2)
    expect(new Set(both.flatMap(({ plans }) => plans.map(({ id }) => id))).size).toBe(2)
    expect(await packages('wim')).toEqual(['sandbox/web/a/redis'])
    expect(await packages('avi')).toEqual(['sandbox/acme/redis'])
  })

  test.each([
    ['a tag', () => `docker://${registry.host}/redis:latest`, 400, 'reference.invalid'],
    ['a path', () => '/etc/passwd', 400, 'reference.invalid'],
    ['what only pretends', () => 'sim:demo', 400, 'reference.invalid'],
    ['an address of the web', () => `http://${registry.host}/redis`, 400, 'reference.invalid'],
    ['another registry', () => `docker://127.0.0.1:1/redis@${images['redis']}`, 400, 'reference.invalid'],
    [
      'what is not there',
      () => `docker://${registry.host}/redis@sha256:${'0'.repeat(64)}`,
      404,
      'artifact.not-found',
    ],
    ['what is no package', () => name('broken'), 422, 'apb.spec.unreadable'],
  ])('of %s nothing is left', async (_name, reference, status, code) => {
    const before = await packages('admin')
    const answer = await add('avi', { name: 'new', reference: reference() })

    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(await packages('admin')).toEqual(before)
  })

  test('a tenant has so many and no more; one of the same name takes the place of the former', async () => {
    expect((await add('avi', { name: 'queue', reference: name('queue') })).status).toBe(201)
    const third = await add('avi', { name: 'third', reference: name('third') })
    expect([third.status, third.body.code]).toEqual([403, 'broker.quota'])
    expect((await add('avi', { name: 'queue', reference: name('third') })).status).toBe(201)
    expect(await packages('avi')).toEqual(['sandbox/acme/queue', 'sandbox/acme/redis'])
    expect((await call('avi', 'DELETE', '/api/v1/packages/sandbox%2Facme%2Fqueue')).status).toBe(204)
  })

  test('only those who may offer do, and in their own tenants', async () => {
    expect((await add('dev', { name: 'x', reference: name('redis') })).status).toBe(403)
    expect((await add('avi', { name: 'x', reference: name('redis'), tenant: 'web' })).status).toBe(403)
    expect((await add('admin', { name: 'x', reference: name('redis') })).status).toBe(400)
    const shared = { name: 'redis', reference: name('redis'), sharedWith: ['other'] }
    expect((await add('avi', shared)).status).toBe(403)
  })

  test('an operator shares it; the next version of its author is shared no more', async () => {
    const shared = { name: 'redis', reference: name('redis'), tenant: 'acme', sharedWith: ['other', 'cf/*'] }
    expect((await add('admin', shared)).status).toBe(201)
    expect(await services('bob')).toHaveLength(1)
    expect(await services('cf', '/v2/catalog')).toHaveLength(1)
    const shares = async (account: string, tenant: string) => {
      const { granted, lent } = (await call(account, 'GET', `/api/v1/tenants/${tenant}`)).body as object as {
        readonly granted: readonly { readonly to: string }[]
        readonly lent: readonly { readonly to: string }[]
      }
      return [granted, lent].map((all) => all.map(({ to }) => to))
    }
    expect(await shares('admin', 'acme')).toEqual([[], ['other', 'cf/*']])
    expect(await shares('avi', 'acme')).toEqual([[], []])
    expect(await shares('bob', 'other')).toEqual([['other'], []])

    expect((await add('avi', { name: 'redis', reference: name('third') })).status).toBe(201)
    expect(await services('bob')).toEqual([])
    expect(await services('cf', '/v2/catalog')).toEqual([])
  })

  test('it is on record with its tenant', async () => {
    const response = await ask(running, '/api/v1/audit?tenant=acme&action=package.add', {
      as: basic('admin'),
    })
    const { items } = (await response.json()) as AuditPage

    expect(items[0]).toMatchObject({
      actor: { id: 'avi' },
      object: { kind: 'package', id: 'sandbox/acme/redis' },
      result: 'succeeded',
    })
  })

  test('commands offer it, list it and take it away', async () => {
    vi.stubEnv('CHANDLER_USER', 'avi')
    vi.stubEnv('CHANDLER_PASSWORD', 'password-of-avi')
    const run = (...words: readonly string[]) => runCommand(register, ['package', ...words])

    expect(await run('add', 'queue', name('queue'))).toContain('Tenant:   acme')
    expect(await run('list', '-o', 'wide')).toMatch(/sandbox\/acme\/queue .*acme/)
    expect(await run('remove', 'sandbox/acme/queue', '--yes')).toBe('Removed: sandbox/acme/queue\n')
    expect(await codeOf(run('remove', 'sandbox/acme/queue', '--yes'))).toBe('package.unknown')
    expect(await run('list')).not.toContain('queue ')
  })

  test('a reload keeps it, and so does a registry that is gone', async () => {
    const before = await packages('avi')
    await stopRegistry()
    await running.reload((text) => text.replace('package: sim:beta-queue', 'package: sim:gamma-queue'))

    expect(await packages('avi')).toEqual(before)
    expect(await services('dev')).toEqual(atAcme)
  })

  test('where the operator names no registries, nothing more is offered', async () => {
    await running.reload((text) => text.replace(/^sandbox: .*$/m, ''))

    const answer = await add('avi', { name: 'more', reference: name('queue') })
    expect([answer.status, answer.body.code]).toEqual([403, 'package.sandbox-closed'])
  })
})
