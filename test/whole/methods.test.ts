/** Methods from outside: HEAD answers like GET without a body, and what an address does not know is told truthfully. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { operatorRoutes } from '../../src/http/operator/routes.ts'
import { ask } from '../support/ask.ts'
import { basic, startTestBroker, type TestBroker } from '../support/broker.ts'
import { sendRaw } from '../support/raw-http.ts'

let running: TestBroker
let operation: string
beforeAll(async () => {
  running = await startTestBroker('limits: {failedLoginsPerSecond: 100000}\n')
  const order = { service: 'alpha-db', plan: 'small', id: 'i1', parameters: { sim: { create: { ms: -1 } } } }
  const made = await ask(running, '/api/v1/instances', { as: basic('admin'), method: 'POST', body: order })
  operation = ((await made.json()) as { operation: string }).operation
  // From then on the documents stay as they are.
  await vi.waitUntil(async () => (await stateOf()) === 'running', { timeout: 300_000 })
})
afterAll(() => running.stop())

const looks = operatorRoutes.filter((route) => route.method === 'GET').map((route) => `/api/v1${route.url}`)
const health = ['/livez', '/readyz', '/startupz', '/readyz?verbose']

test.each([...looks, '/api/openapi.json', '/api/v1/nothing', ...health])(
  'HEAD %s answers like GET, whoever asks',
  async (template) => {
    for (const user of ['admin', 'watcher', 'platform', undefined] as const) {
      const [head, get] = [
        await sent('HEAD', filled(template), user && basic(user)),
        await sent('GET', filled(template), user && basic(user)),
      ]

      expect(head.status).toBe(get.status)
      expect(head.body).toBe('')
      expect(comparable(head.headers, template)).toEqual(comparable(get.headers, template))
    }
  },
)

test.each(['/metrics', ...health])('HEAD %s answers like GET on the admin address', async (path) => {
  const [head, get] = [
    await fetch(running.adminUrl + path, { method: 'HEAD' }),
    await fetch(running.adminUrl + path),
  ]

  expect(head.status).toBe(200)
  expect(head.headers.get('Content-Type')).toBe(get.headers.get('Content-Type'))
  expect(head.headers.get('Content-Length')).toMatch(/^[1-9]\d*$/)
})

test.each(['/metrics', '/nothing', ...health])(
  'the answer at %s on the admin address carries the id of its request',
  async (path) => {
    const named = await fetch(running.adminUrl + path, { headers: { 'X-Request-ID': 'mine-1' } })
    const nameless = await fetch(running.adminUrl + path)

    expect(named.headers.get('X-Request-ID')).toBe('mine-1')
    expect(nameless.headers.get('X-Request-ID')).toMatch(/^[0-9a-z]{26}$/)
  },
)

test('HEAD of a log that is followed ends at once, with nothing behind its headers', async () => {
  const lines = [
    `HEAD /api/v1/operations/${operation}/log HTTP/1.1`,
    'Host: broker',
    `Authorization: ${basic('admin')}`,
    'Accept: text/event-stream',
  ]
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
  const [answer, ...more] = await sendRaw(running.url, { bytes, ends: true })

  expect(answer).toMatchObject({ status: 200, text: '' })
  expect(answer?.headers['content-type']).toContain('text/event-stream')
  expect(answer?.headers).not.toHaveProperty('content-length')
  expect(more).toEqual([])
})

test('HEAD is counted once, under its own method', async () => {
  await sent('HEAD', '/api/v1/problems', basic('watcher'))
  const before = await headsCounted()
  await sent('HEAD', '/api/v1/problems', basic('watcher'))

  expect((await headsCounted()) - before).toBe(1)
})

const osb = '/v2/service_instances/:instance'

test.each([
  ['/v2/catalog', 'GET, HEAD'],
  [osb, 'PUT, PATCH, DELETE, GET, HEAD'],
  [`${osb}/last_operation`, 'GET, HEAD'],
  [`${osb}/service_bindings/:binding`, 'PUT, DELETE, GET, HEAD'],
  [`${osb}/service_bindings/:binding/last_operation`, 'GET, HEAD'],
  ['/api/openapi.json', 'GET, HEAD'],
  ['/api/v1/about', 'GET, HEAD'],
  ['/api/v1/freeze', 'POST, DELETE'],
  ['/api/v1/instances', 'GET, HEAD, POST'],
  ['/api/v1/instances/:platform/:instance', 'GET, HEAD, PATCH, DELETE'],
  ...health.map((path) => [path, 'GET, HEAD']),
])('%s says that it knows %s', async (template, allowed) => {
  const { status, headers } = await sent('OPTIONS', filled(template))

  expect([status, headers.get('Allow')]).toEqual([405, allowed])
})

test('what asks for a tunnel is told that nothing is allowed there', async () => {
  const bytes = Buffer.from('CONNECT elsewhere.test:443 HTTP/1.1\r\nHost: elsewhere.test:443\r\n\r\n')
  const [answer] = await sendRaw(running.url, { bytes, ends: true })

  expect([answer?.status, answer?.headers['allow']]).toEqual([405, ''])
})

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']

test.each([...new Set(operatorRoutes.map((route) => route.url))])(
  '/api/v1%s serves what it says that it knows, and nothing else',
  async (url) => {
    const answers = await Promise.all(
      methods.map(async (method) => ({ method, ...(await sent(method, filled(`/api/v1${url}`))) })),
    )
    const refused = answers.filter(({ status }) => status === 405)
    const served = answers.filter(({ status }) => status === 401).map(({ method }) => method)

    expect(refused.length + served.length).toBe(methods.length)
    for (const { headers } of refused) {
      expect(headers.get('Allow')?.split(', ').toSorted()).toEqual(served.toSorted())
    }
  },
)

test('what an address does not know is refused before a body is read, in the words of the API', async () => {
  const response = await fetch(`${running.url}/api/v1/about`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/odd', 'X-Request-ID': 'mine-2' },
    body: '{',
  })

  expect([response.status, await response.json()]).toMatchObject([
    405,
    { code: 'request.method-not-allowed', detail: 'PUT /api/v1/about', requestId: 'mine-2' },
  ])
})

async function stateOf(): Promise<unknown> {
  const response = await ask(running, `/api/v1/operations/${operation}`, { as: basic('admin') })
  return ((await response.json()) as { readonly state?: unknown }).state
}

async function sent(method: string, path: string, authorization?: string) {
  const response = await fetch(running.url + path, {
    method,
    headers: {
      'X-Request-ID': 'mine-1',
      ...(authorization === undefined ? {} : { Authorization: authorization }),
    },
  })
  return { status: response.status, headers: response.headers, body: await bodyOf(response) }
}

/** A stream of events has no end of its own. */
async function bodyOf(response: Response): Promise<string> {
  if (response.headers.get('Content-Type')?.startsWith('text/event-stream') !== true) return response.text()
  await response.body?.cancel()
  return ''
}

function filled(template: string): string {
  return template
    .replace(':platform', 'chandler')
    .replace(':instance', 'i1')
    .replace(':operation', operation)
    .replaceAll(/:\w+/g, 'x')
}

/** Documents that say how long ago something was, or that each look adds to. */
const changing = ['/api/v1/support-bundle', '/api/v1/audit', '/api/v1/cluster', '/api/v1/health']

function comparable(headers: Headers, path: string): Readonly<Record<string, string>> {
  const passing = [
    'date',
    'connection',
    'keep-alive',
    // It tells how a body is sent, and HEAD has none.
    ...(headers.get('Content-Type')?.startsWith('text/event-stream') ? ['transfer-encoding'] : []),
    ...(changing.some((one) => path.startsWith(one)) ? ['content-length'] : []),
  ]
  return Object.fromEntries([...headers].filter(([name]) => !passing.includes(name)))
}

async function headsCounted(): Promise<number> {
  const text = await (await fetch(`${running.adminUrl}/metrics`)).text()
  const labels = 'http_request_method="HEAD",http_route="/api/v1/problems",http_response_status_code="200"'
  const line = text
    .split('\n')
    .find((one) => one.startsWith(`http_server_request_duration_seconds_count{${labels}}`))
  return Number(line?.split(' ').at(-1) ?? 0)
}
