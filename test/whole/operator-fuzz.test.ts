/** Hostile requests to the operator API: always a clear refusal, never a 5xx, a stack or a secret. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Route } from '../../src/http/operator/route.ts'
import { operatorRoutes } from '../../src/http/operator/routes.ts'
import { isObject } from '../../src/kit/json.ts'
import { basic, passwords, startTestBroker, type TestBroker } from '../support/broker.ts'

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker('limits: {failedLoginsPerSecond: 100000}\n')
})
afterAll(() => running.stop())

const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '../../etc/passwd',
  '%2e%2e%2f',
  "' OR 1=1 --",
  '__proto__',
  'constructor',
  '\u202e\u0007',
  'x'.repeat(5000),
  '🛶'.repeat(300),
  '${jndi:ldap://x}',
  '-1',
  '1e999',
] as const
const values: readonly unknown[] = [
  ...texts,
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  [],
  [[]],
  {},
  { a: { b: [null] } },
  { __proto__x: 1, constructor: 1 },
]

test.each(operatorRoutes.map((route) => [`${route.method} ${route.url}`, route] as const))(
  '%s refuses hostile addresses, queries and bodies',
  async (_name, route) => {
    for (const request of hostile(route)) {
      const { status, text } = await send(route, request)
      const shown = `${route.method} ${request.path} ${request.body?.slice(0, 200)} -> ${status} ${text.slice(0, 300)}`

      expect(status, shown).toBeLessThan(500)
      expect(text, shown).not.toMatch(/at .*\.(ts|js|mjs):\d+|node_modules|SQLITE/)
      for (const password of Object.values(passwords)) expect(text).not.toContain(password)
    }
  },
)

test('nothing of it was an unexpected fault', () => {
  expect(running.logLines.filter((line) => line.includes('internal.unexpected'))).toEqual([])
})

interface Hostile {
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

function* hostile(route: Route): Generator<Hostile> {
  const plain = route.url.replaceAll(/:\w+/g, 'x')
  if (route.url.includes(':')) {
    for (const text of texts) yield { path: route.url.replaceAll(/:\w+/g, encoded(text)), ...usual(route) }
    yield { path: route.url.replaceAll(/:\w+/g, '%'), ...usual(route) }
    yield { path: route.url.replaceAll(/:\w+/g, '%ff'), ...usual(route) }
  }
  for (const name of namesIn(route.parts.query)) {
    for (const text of texts) yield { path: `${plain}?${name}=${encoded(text)}` }
    yield { path: `${plain}?${name}=1&${name}=2` }
    yield { path: `${plain}?${name}[a]=1` }
  }
  if (route.method === 'GET') return
  for (const body of [
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '{"a":1,"a":2}',
    `${'['.repeat(5000)}${']'.repeat(5000)}`,
  ]) {
    yield { path: plain, body }
  }
  for (const name of namesIn(route.parts.body)) {
    for (const value of values)
      yield { path: plain, body: JSON.stringify({ ...example(route), [name]: value }) }
  }
  yield { path: plain, body: '{"__proto__": {"role": "operator"}}' }
  yield { path: plain, body: '{}', headers: { 'Content-Type': 'text/plain' } }
  yield { path: plain, body: '{}', headers: { 'Content-Type': 'application/json; charset=utf-16' } }
  yield { path: plain, body: '{}', headers: { 'Idempotency-Key': 'x y' } }
  yield { path: plain, body: '{}', headers: { 'X-Request-ID': 'x'.repeat(3000) } }
}

function usual(route: Route): { readonly body?: string } {
  return route.method === 'GET' ? {} : { body: JSON.stringify(example(route)) }
}

/** A freeze would stop everybody else, so it stays a fault. */
function example({ url }: Route): object {
  return url === '/instances' ? { service: 'beta-queue' } : {}
}

function namesIn(schema: unknown): readonly string[] {
  const properties = isObject(schema) ? schema['properties'] : undefined
  return isObject(properties) ? Object.keys(properties) : []
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

async function send(route: Route, { path, body, headers = {} }: Hostile) {
  const response = await fetch(`${running.url}/api/v1${path}`, {
    method: route.method,
    headers: {
      Authorization: basic('admin'),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.status, text: await response.text() }
}
