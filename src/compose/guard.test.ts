import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { makeLimiter } from '../http/limiter.ts'
import { openMetrics } from '../http/metrics.ts'
import { systemClock } from '../kit/clock.ts'
import { guarded, type Side } from './guard.ts'

test.each<[Side, string, string, object]>([
  ['osb', 'X-Broker-API-Request-Identity', 'X-Broker-API-Request-Identity', { error: 'TooManyRequests' }],
  ['operator', 'X-Request-ID', 'X-Request-ID', { code: 'request.too-many', requestId: 'mine-1' }],
  ['operator', 'X-Vcap-Request-Id', 'X-Request-ID', { code: 'request.too-many', requestId: 'mine-1' }],
])('a crowd is told on the %s side under its own id, sent as %s', async (side, sent, echoed, body) => {
  const response = await fetch(await crowded(side), { headers: { [sent]: 'mine-1' } })

  expect(response.status).toBe(429)
  expect(response.headers.get(echoed)).toBe('mine-1')
  expect(response.headers.get('Retry-After')).toMatch(/^\d+$/)
  expect(await response.json()).toMatchObject(body)
})

test('a crowd without ids gets one on the operator side only', async () => {
  const [osb, operator] = [await fetch(await crowded('osb')), await fetch(await crowded('operator'))]

  expect(osb.headers.get('X-Broker-API-Request-Identity')).toBeNull()
  expect(operator.headers.get('X-Request-ID')).toMatch(/^[0-9a-z]{26}$/)
})

/** The address of a house that is full. */
async function crowded(side: Side): Promise<string> {
  const limits = { requestsPerSecond: 0, failedLoginsPerSecond: 10, concurrentRequests: 0 }
  const limiter = makeLimiter(
    { gate: { knows: () => false }, clock: systemClock, source: () => 'somewhere' },
    limits,
  )
  const metrics = openMetrics({ version: '0', nodeVersion: 'v0' })
  const server = createServer(guarded({ limiter, metrics }, side, (_request, response) => response.end()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
