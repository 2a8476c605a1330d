/** Traces of a whole broker, as a collector of the test's own gets them. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { basic, startTestBroker, type TestBroker } from '../support/broker.ts'
import { type Collector, startCollector } from '../support/collector.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'
const sampledBy = (traceId: string) => ({ traceparent: `00-${traceId}-${span}-01` })

test('requests are spans below the span of their caller, named by the template of their address', async () => {
  const collector = await collecting()
  const broker = await traced(collector, { OTEL_SERVICE_NAME: 'broker-eu' })

  await ask(broker, '/v2/catalog', { ...sampledBy(trace), tracestate: 'vendor=1', 'x-request-id': 'r-1' })
  await ask(broker, '/v2/service_instances/secret-id/last_operation', sampledBy(trace))
  await ask(broker, '/api/v1/instances?search=hunter2', {
    ...sampledBy(trace),
    authorization: basic('admin'),
  })
  await ask(broker, '/v2/hunter2', sampledBy(trace))

  await expect
    .poll(() => names(collector))
    .toEqual([
      'HTTP GET',
      'HTTP GET /api/v1/instances',
      'HTTP GET /v2/catalog',
      'HTTP GET /v2/service_instances/:instance_id/last_operation',
    ])
  const found = collector.spans.find(({ name }) => name === 'HTTP GET /v2/catalog')
  expect(found).toMatchObject({
    traceId: trace,
    parentSpanId: span,
    traceState: 'vendor=1',
    kind: 2,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/v2/catalog',
      'http.response.status_code': '200',
      'chandler.request.id': 'r-1',
    },
  })
  expect(BigInt(found?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(found?.startTimeUnixNano ?? 1))
  expect(collector.resources[0]).toMatchObject({
    'service.name': 'broker-eu',
    'service.version': '0.0.0-test',
    'service.instance.id': expect.stringMatching(/./),
  })
  const all = collector.bodies.join()
  expect(['secret-id', 'hunter2', 'password-of'].filter((text) => all.includes(text))).toEqual([])
})

test('the context that Cloud Foundry tells in its own headers is taken', async () => {
  const collector = await collecting()
  const broker = await traced(collector)

  await ask(broker, '/v2/catalog', { 'x-b3-traceid': trace, 'x-b3-spanid': span, 'x-b3-sampled': '1' })
  await ask(broker, '/v2/catalog', { b3: `${trace}-${span}-1` })

  await expect
    .poll(() => collector.spans.map((one) => [one.traceId, one.parentSpanId]))
    .toEqual([
      [trace, span],
      [trace, span],
    ])
})

test('lines of the log name the span of their request, or of the work on their operation', async () => {
  const collector = await collecting()
  const broker = await traced(collector)
  const { services } = (await (await ask(broker, '/v2/catalog')).json()) as {
    readonly services: readonly [{ readonly id: string; readonly plans: readonly [{ readonly id: string }] }]
  }
  const [{ id, plans }] = services

  const path = '/v2/service_instances/i1?accepts_incomplete=true'
  const body = JSON.stringify({
    service_id: id,
    plan_id: plans[0].id,
    organization_guid: 'o',
    space_guid: 's',
  })
  await ask(
    broker,
    path,
    { ...sampledBy(trace), 'content-type': 'application/json' },
    { method: 'PUT', body },
  )

  await expect.poll(() => names(collector)).toContain('operation provision')
  const named = (event: string) =>
    said(broker, event).map((line) => {
      const { trace_id, span_id, trace_flags } = JSON.parse(line) as Readonly<Record<string, string>>
      return { trace_id, span_id, trace_flags }
    })
  const spanOf = (name: string) => {
    const found = collector.spans.find((one) => one.name === name)
    return { trace_id: found?.traceId, span_id: found?.spanId, trace_flags: '01' }
  }
  const request = spanOf('HTTP PUT /v2/service_instances/:instance_id')
  expect(request.trace_id).toBe(trace)
  expect(named('http.request')).toContainEqual(request)
  const [ended] = named('operation.ended')
  expect(ended).toMatchObject({ trace_id: spanOf('operation provision').trace_id, trace_flags: '01' })
  expect(named('traces.started')).toEqual([{}])
})

test('a line about what is not kept says so, and there is nothing to say without traces', async () => {
  const without = await startTestBroker()
  onTestFinished(() => without.stop())
  const broker = await traced(await collecting())

  await ask(broker, '/v2/catalog', { traceparent: `00-${trace}-${span}-00` })
  await ask(without, '/v2/catalog', sampledBy(trace))

  await expect
    .poll(() => said(broker, 'http.request').join())
    .toMatch(new RegExp(`"trace_id":"${trace}","span_id":"\\w{16}","trace_flags":"00"`))
  expect(said(without, 'http.request').join()).not.toContain('trace_id')
})

test('what a caller does not want traced is not, nor the rest of what begins here', async () => {
  const collector = await collecting()
  const broker = await traced(collector, { OTEL_TRACES_SAMPLER_ARG: '0' })

  await ask(broker, '/v2/catalog', { traceparent: `00-${trace}-${span}-00` })
  await ask(broker, '/v2/catalog')
  await ask(broker, '/v2/catalog', sampledBy('1'.repeat(32)))

  await expect.poll(() => collector.spans.map(({ traceId }) => traceId)).toEqual(['1'.repeat(32)])
})

test('headers for the collector are sent, and are neither in the log nor in what doctor says', async () => {
  const collector = await collecting()
  const broker = await traced(collector, { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hunter2' })

  await ask(broker, '/v2/catalog', sampledBy(trace))

  await expect.poll(() => collector.headers[0]?.authorization).toBe('Bearer hunter2')
  expect(await tracesBy(broker)).toEqual([
    { id: 'traces', state: 'ok', what: `are handed over to ${collector.url}/v1/traces` },
  ])
  expect(broker.logLines.join()).not.toContain('hunter2')
})

test.each([
  ['is ill', 503, 'HTTP 503', {}],
  ['never answers', 'hang', 'no answer within 3000 ms', { OTEL_EXPORTER_OTLP_TIMEOUT: '3000' }],
] as const)(
  'a collector that %s holds no request up, and gets the spans later',
  async (_name, manner, why, more) => {
    const collector = await collecting(manner)
    const broker = await traced(collector, more)

    expect((await ask(broker, '/v2/catalog', sampledBy(trace))).status).toBe(200)

    await expect.poll(() => said(broker, 'traces.unsent')).toEqual([expect.stringContaining(why)])
    // At once: after some seconds they are given up.
    collector.behave(200)
    await expect.poll(() => figures(broker), { timeout: 60_000 }).toMatch(/chandler_spans_sent_total 1/)
    expect(said(broker, 'traces.sent')).toHaveLength(1)
    expect(names(collector)).toEqual(['HTTP GET /v2/catalog'])
  },
)

test.each([[400], [500]])('spans that a collector refuses with %i are lost and counted', async (status) => {
  const collector = await collecting(status)
  const broker = await traced(collector)

  await ask(broker, '/v2/catalog', sampledBy(trace))

  await expect.poll(() => figures(broker)).toMatch(/chandler_spans_dropped_total\{reason="refused"\} 1/)
  expect(said(broker, 'traces.unsent')).toEqual([expect.stringContaining(`HTTP ${status}`)])
  expect(await tracesBy(broker)).toEqual([
    expect.objectContaining({ state: 'warn', what: expect.stringContaining(`HTTP ${status}`) }),
  ])
})

test('a collector that is not there holds no request up', async () => {
  const collector = await startCollector()
  await collector.close()
  const broker = await traced(collector)

  expect((await ask(broker, '/v2/catalog', sampledBy(trace))).status).toBe(200)

  await expect.poll(() => said(broker, 'traces.unsent')).toEqual([expect.stringContaining('ECONNREFUSED')])
})

test('a queue that is full loses spans and counts them', async () => {
  const collector = await collecting('hang')
  const broker = await traced(collector, {
    OTEL_BSP_MAX_QUEUE_SIZE: '2',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
  })

  for (let i = 0; i < 5; i++) await ask(broker, '/v2/catalog', sampledBy(trace))

  await expect.poll(() => figures(broker)).toMatch(/chandler_spans_dropped_total\{reason="queue"\} [23]/)
})

test('spans that wait are handed over when the broker ends', async () => {
  const collector = await collecting()
  const broker = await startTestBroker('', undefined, undefined, {
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  })
  await ask(broker, '/v2/catalog', sampledBy(trace))

  await broker.stop()

  expect(names(collector)).toContain('HTTP GET /v2/catalog')
})

test('variables with faults are told by log and doctor, and the broker runs without traces', async () => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318', OTEL_TRACES_SAMPLER: 'mine' }
  const broker = await startTestBroker('', undefined, undefined, { environment })
  onTestFinished(() => broker.stop())

  expect((await ask(broker, '/v2/catalog')).status).toBe(200)

  expect(said(broker, 'traces.misconfigured').join()).toContain('OTEL_TRACES_SAMPLER')
  expect(await tracesBy(broker)).toEqual([
    expect.objectContaining({ state: 'fail', what: expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT') }),
    expect.objectContaining({ state: 'fail', what: expect.stringContaining('OTEL_TRACES_SAMPLER') }),
  ])
})

test('a broker that is not asked for traces says nothing of them', async () => {
  const broker = await startTestBroker('', undefined, undefined, { environment: { OTEL_SERVICE_NAME: 'x' } })
  onTestFinished(() => broker.stop())

  expect(await tracesBy(broker)).toEqual([])
  expect(broker.logLines.join()).not.toContain('"traces.')
})

test('nothing of traces is imported but what says whether they are asked for', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  )
  const faults = sources
    .filter((file) => !file.startsWith('traces/'))
    .flatMap((file) => readFileSync(`src/${file}`, 'utf8').match(/^import (?!type).*\/traces\/.*$/gm) ?? [])

  expect(new Set(faults)).toEqual(new Set(["import { areTracesAskedFor } from '../traces/asked.ts'"]))
})

/** Batches are sent at once. */
const quick = { OTEL_BSP_SCHEDULE_DELAY: '20' }

async function collecting(manner?: Parameters<typeof startCollector>[0]): Promise<Collector> {
  const collector = await startCollector(manner)
  onTestFinished(() => collector.close())
  return collector
}

async function traced(
  collector: Collector,
  more: Readonly<Record<string, string>> = {},
): Promise<TestBroker> {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...quick, ...more }
  const broker = await startTestBroker('', undefined, undefined, { environment })
  onTestFinished(() => broker.stop())
  return broker
}

function ask(
  { url }: TestBroker,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  more: Pick<RequestInit, 'method' | 'body'> = {},
) {
  const usual = { authorization: basic('platform'), 'x-broker-api-version': '2.17' }
  return fetch(`${url}${path}`, { ...more, headers: { ...usual, ...headers } })
}

function names({ spans }: Collector): readonly string[] {
  return spans.map(({ name }) => name).toSorted()
}

function said({ logLines }: TestBroker, event: string): readonly string[] {
  return logLines.filter((line) => line.includes(`"${event}"`))
}

async function figures({ adminUrl }: TestBroker): Promise<string> {
  return (await fetch(`${adminUrl}/metrics`)).text()
}

async function tracesBy(broker: TestBroker): Promise<readonly unknown[]> {
  const answer = await ask(broker, '/api/v1/examination', {
    authorization: basic('admin'),
    traceparent: `00-${trace}-${span}-00`,
  })
  const { findings } = (await answer.json()) as { readonly findings: readonly { readonly id: string }[] }
  return findings.filter(({ id }) => id === 'traces')
}
