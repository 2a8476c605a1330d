/** What answers of a collector mean for a batch. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { invariant } from '../kit/assert.ts'
import { readConfiguration } from './configuration.ts'
import { openSender, type Sent } from './send.ts'

const taken = (rejected: number): Sent => ({ kind: 'taken', rejected })
const partly = (rejected: unknown) => JSON.stringify({ partialSuccess: { rejectedSpans: rejected } })

test.each<[status: number, headers: Readonly<Record<string, string>>, body: string, sent: Sent]>([
  [200, {}, '{}', taken(0)],
  [202, {}, '', taken(0)],
  [200, {}, 'in other words', taken(0)],
  [200, {}, partly('3'), taken(3)],
  [200, {}, partly(3), taken(3)],
  [200, {}, partly('some'), taken(0)],
  [200, {}, partly(-3), taken(0)],
  [400, {}, '{}', { kind: 'refused', why: 'HTTP 400' }],
  [500, {}, '{}', { kind: 'refused', why: 'HTTP 500' }],
  [503, {}, '{}', { kind: 'failed', why: 'HTTP 503' }],
  [429, { 'retry-after': '7' }, '', { kind: 'failed', why: 'HTTP 429', afterMs: 7000 }],
  [429, { 'retry-after': 'Sun, 29 Nov 2026 12:00:00 GMT' }, '', { kind: 'failed', why: 'HTTP 429' }],
])('%i with %o and the body %s', async (status, headers, body, sent) => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status, headers).end(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { configuration } = readConfiguration({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
  invariant(configuration !== undefined, 'there is an endpoint')
  const sender = openSender(configuration)
  onTestFinished(() => sender.close())

  expect(await sender.send('{}')).toEqual(sent)
})
