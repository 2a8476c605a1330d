import { expect, test } from 'vitest'
import type { Look, StateCount } from '../store/store.ts'
import { openMetrics } from './metrics.ts'

test('requests are counted by method, template and status, strange methods under one name', async () => {
  const metrics = openMetrics({ version: '1', nodeVersion: 'v24' })
  const seen = { route: '/v2/catalog', status: 200, ms: 4, requestId: 'r', account: undefined, source: '' }
  for (const method of ['GET', 'GET', 'BREW']) {
    metrics.requestBegins()
    metrics.request({ ...seen, method })
  }
  const text = await metrics.text()

  expect(text).toContain(
    'http_server_request_duration_seconds_count{http_request_method="GET",http_route="/v2/catalog",http_response_status_code="200"} 2',
  )
  expect(text).toContain('http_request_method="_OTHER"')
  expect(text).toContain('http_server_active_requests 0')
})

test('gauges are counted by one question for all of them, and not again within a minute', async () => {
  let asked = 0
  const counts: readonly StateCount[] = [
    { of: 'instance', state: 'ready', count: 3, oldestMs: 0 },
    { of: 'operation', state: 'queued', action: 'bind', count: 2, oldestMs: 1500 },
    { of: 'operation', state: 'running', action: 'bind', count: 1, oldestMs: 90_000 },
    { of: 'operation', state: 'stopping', action: 'bind', count: 1, oldestMs: 100 },
    { of: 'operation', state: 'running', action: 'update', count: 4, oldestMs: 100 },
  ]
  const metrics = openMetrics({ version: '1', nodeVersion: 'v24' })
  const look = {
    countByState: () => {
      asked++
      return Promise.resolve(counts)
    },
    sealedByOthers: () => Promise.resolve([{ key: 'k1', records: 7 }]),
  }
  metrics.watch(look as unknown as Look, () => [{ format: 'sim', packages: 1, services: 2, plans: 5 }])
  await metrics.text()
  const text = await metrics.text()

  expect(asked).toBe(1)
  expect(text).toContain('chandler_instances{state="ready"} 3')
  expect(text).toContain('chandler_operations_running{kind="bind"} 2')
  expect(text).toContain('chandler_operations_running{kind="update"} 4')
  expect(text).toContain('chandler_operations_queued{kind="bind"} 2')
  expect(text).toContain('chandler_encryption_records{key_id="k1",state="decrypt-only"} 7')
  expect(text).toContain('chandler_operations_oldest_queued_seconds 1.5')
  expect(text).toContain('chandler_operations_oldest_running_seconds 90')
  expect(text).toContain('chandler_catalog_plans{format="sim"} 5')
})

test('counts that the store did not give are asked for again at the next scrape', async () => {
  let fails = true
  const metrics = openMetrics({ version: '1', nodeVersion: 'v24' })
  const counts: readonly StateCount[] = [{ of: 'instance', state: 'ready', count: 3, oldestMs: 0 }]
  const look = {
    countByState: () => (fails ? Promise.reject(new Error('down')) : Promise.resolve(counts)),
    sealedByOthers: () => Promise.resolve([]),
  }
  metrics.watch(look as unknown as Look, () => [])

  const down = await metrics.text()
  fails = false
  const up = await metrics.text()

  expect(down).not.toContain('chandler_instances{')
  expect(up).toContain('chandler_instances{state="ready"} 3')
})

test.each([
  [undefined, 'text/plain; version=0.0.4; charset=utf-8', '# TYPE chandler_leases_lost_total counter', /\n$/],
  ['*/*', 'text/plain; version=0.0.4; charset=utf-8', '# TYPE chandler_leases_lost_total counter', /\n$/],
  [
    'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3',
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
    '# TYPE chandler_leases_lost counter',
    /\n# EOF\n$/,
  ],
])('who accepts %s is told in the form %s', async (accept, type, line, end) => {
  const metrics = openMetrics({ version: '1', nodeVersion: 'v24' })
  metrics.leaseLost()
  const form = metrics.formFor(accept)
  const text = await metrics.text(form)

  expect(form).toBe(type)
  expect(text.split('\n')).toEqual(expect.arrayContaining([line, 'chandler_leases_lost_total 1']))
  expect(text).toMatch(end)
})

test('a figure that cannot be read stays as it was, and is told once until it can be read again', async () => {
  let fails = false
  const told: string[] = []
  const unread = (figure: string, error: unknown): void => void told.push(`${figure}: ${error}`)
  const metrics = openMetrics({ version: '1', nodeVersion: 'v24', unread })
  const answer = <T>(value: T): Promise<T> =>
    fails ? Promise.reject(new RangeError('no')) : Promise.resolve(value)
  const look = {
    countByState: () => Promise.resolve([]),
    sealedByOthers: () => answer([{ key: 'k1', records: 7 }]),
  }
  metrics.watch(look as unknown as Look, () => [])
  metrics.gauge('a', 'A.', () => answer(3))

  for (const failing of [false, true, true]) {
    fails = failing
    const text = await metrics.text()
    expect(text).toContain('chandler_encryption_records{key_id="k1",state="decrypt-only"} 7')
    expect(text).toContain('\na 3\n')
  }
  const once = ['a: RangeError: no', 'chandler_encryption_records: RangeError: no']
  expect(told.toSorted()).toEqual(once)

  for (const failing of [false, true]) {
    fails = failing
    await metrics.text()
  }
  expect(told.toSorted()).toEqual([...once, ...once].toSorted())
})

test('operations are counted by kind and outcome', async () => {
  const metrics = openMetrics({ version: '1', nodeVersion: 'v24' })
  metrics.accepted('bind', 'sim')
  metrics.claimed('bind', 0.2)
  metrics.finished({ kind: 'bind', format: 'sim', outcome: 'failed', reason: 'operation.failed', seconds: 2 })
  metrics.ran({ format: 'sim', engine: 'sim', action: 'bind', outcome: 'finished', seconds: 1 })
  metrics.engineCall('sim', 'start', 0.1, true)
  metrics.leaseLost()
  metrics.rateLimited('osb')
  metrics.imageArrived(1000)
  metrics.packageRead('registry', 'offered')
  metrics.packageRead('path', 'refused')
  const text = await metrics.text()

  expect(text).toContain(
    'chandler_operations_finished_total{kind="bind",format="sim",outcome="failed",reason="operation.failed"} 1',
  )
  expect(text).toContain(
    'chandler_operation_duration_seconds_sum{kind="bind",format="sim",outcome="failed"} 2',
  )
  expect(text).toContain('chandler_operations_accepted_total{kind="bind",format="sim"} 1')
  expect(text).toContain(
    'chandler_run_duration_seconds_sum{format="sim",engine="sim",action="bind",outcome="finished"} 1',
  )
  expect(text).toContain('chandler_engine_call_errors_total{engine="sim",call="start"} 1')
  expect(text).toContain('chandler_leases_lost_total 1')
  expect(text).toContain('chandler_image_pull_bytes_total 1000')
  expect(text).toContain('chandler_package_refresh_total{source="path",result="refused"} 1')
  expect(text).toMatch(/chandler_package_refresh_last_success_timestamp_seconds\{source="registry"\} \d{10}/)
  expect(text).toContain('chandler_rate_limited_total{scope="osb"} 1')
})
