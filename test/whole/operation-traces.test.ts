/** Traces of operations by brokers that are processes of their own: accepted, carried out, taken over after a kill. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { problemCodes } from '../../src/model/problem-codes.ts'
import { ask } from '../support/ask.ts'
import {
  accounts,
  type BrokerProcess,
  orderPretended,
  pretendedOrder,
  startBrokerProcess,
} from '../support/broker-process.ts'
import { type CollectedSpan, type Collector, startCollector } from '../support/collector.ts'
import { sharedPostgres } from '../support/postgres.ts'
import { missingPostgres } from '../support/stores.ts'

const kinds = missingPostgres === undefined ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const)

describe.each(kinds)('%s', (kind) => {
  test('the work on an order is a trace of its own, linked to the span that accepted it', async () => {
    const { collector, start } = await house(kind)
    const broker = await start()

    const operation = await orderPretended(broker, 'i1', { ms: 10 })

    const work = await spanOf(collector, 'operation provision')
    const accepted = await spanOf(collector, 'operation.accept')
    const request = await spanOf(collector, 'HTTP PUT /v2/service_instances/:instance_id')
    expect(accepted.parentSpanId).toBe(request.spanId)
    expect(work.links).toEqual([{ traceId: accepted.traceId, spanId: accepted.spanId }])
    expect(work.traceId).not.toBe(accepted.traceId)
    expect(work.parentSpanId).toBeUndefined()
    const about = {
      'chandler.operation.id': operation,
      'chandler.operation.kind': 'provision',
      'chandler.instance.id': 'i1',
      'chandler.package.name': 'alpha-db',
      'chandler.package.format': 'sim',
      'chandler.package.digest': expect.stringMatching(/^sha256:/),
    }
    expect(accepted.attributes).toEqual(about)
    expect(work.attributes).toEqual({
      ...about,
      'chandler.attempt': '1',
      'chandler.operation.state': 'succeeded',
    })
    const steps = below(collector, work).filter(({ name }) => name.startsWith('step '))
    expect(steps.map(({ name }) => name)).toEqual([
      'step prepare',
      'step start',
      'step follow',
      'step conclude',
    ])
    const [prepare, begin] = steps
    expect(below(collector, begin).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['engine lay_out', 'engine start', 'store TX']),
    )
    expect(begin?.attributes).toEqual({
      'chandler.stage': '0',
      'chandler.attempt': '1',
      'chandler.engine': 'sim',
    })
    expect(below(collector, prepare).map(({ name }) => name)).toContain('store TX')
    expect(below(collector, request).map(({ name }) => name)).toContain('store TX')
  })

  test('a broker that takes over after a kill links to the span of the one that died', async () => {
    const { collector, start } = await house(kind)
    const first = await start()
    const operation = await orderPretended(first, 'i1', { ms: 3_600_000 })
    const begun = await spanOf(collector, 'step start')
    const accepted = await spanOf(collector, 'operation.accept')
    await first.end('SIGKILL')

    const second = await start(['--take-over'])
    await ask(second, `/api/v1/operations/${operation}/cancel`, { as: accounts.operator, method: 'POST' })

    const work = await spanOf(collector, 'operation provision')
    expect(work.links).toEqual([
      { traceId: accepted.traceId, spanId: accepted.spanId },
      { traceId: begun.traceId, spanId: begun.parentSpanId },
    ])
    expect(work.traceId).not.toBe(begun.traceId)
    expect(work.attributes).toMatchObject({
      'chandler.operation.id': operation,
      'chandler.operation.state': 'cancelled',
    })
    expect(below(collector, work).map(({ name }) => name)).not.toContain('step start')
  })

  test('a failed operation names its problem by its code, in constant words', async () => {
    const { collector, start } = await house(kind)
    const broker = await start()

    await orderPretended(broker, 'i1', { ms: 10, outcome: 'fail' })

    const work = await spanOf(collector, 'operation provision')
    expect(work.status).toEqual({ code: 2, message: problemCodes['operation.failed'].title })
    expect(work.attributes).toMatchObject({
      'error.type': 'operation.failed',
      'chandler.operation.state': 'failed',
    })
    expect(collector.bodies.join()).not.toContain('told to fail')
  })

  test('what a platform does not want traced is not when it is carried out, either', async () => {
    const { collector, start } = await house(kind)
    const broker = await start()

    await order(broker, 'unwanted', `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`)
    await order(broker, 'wanted', `00-${'3'.repeat(32)}-${'2'.repeat(16)}-01`)

    await spanOf(collector, 'operation provision')
    const instances = collector.spans.flatMap(({ attributes }) => attributes['chandler.instance.id'] ?? [])
    expect(new Set(instances)).toEqual(new Set(['wanted']))
    expect((await spanOf(collector, 'operation.accept')).traceId).toBe('3'.repeat(32))
  })
})

interface House {
  readonly collector: Collector
  /** Another broker on the same store, with the same collector. */
  start(options?: readonly string[]): Promise<BrokerProcess>
}

async function house(kind: (typeof kinds)[number]): Promise<House> {
  const collector = await startCollector()
  onTestFinished(() => collector.close())
  const dataDir = mkdtempSync(join(tmpdir(), 'chandler-traces-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const store = kind === 'sqlite' ? 'sqlite' : await (await sharedPostgres()).database()
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
  }
  return {
    collector,
    start: async (options = []) => {
      const broker = await startBrokerProcess({ dataDir, store, environment, options })
      onTestFinished(async () => void (await broker.end('SIGKILL')))
      return broker
    },
  }
}

async function order({ url }: BrokerProcess, instance: string, traceparent: string): Promise<void> {
  const answer = await fetch(`${url}/v2/service_instances/${instance}?accepts_incomplete=true`, {
    method: 'PUT',
    headers: { authorization: accounts.platform, 'x-broker-api-version': '2.17', traceparent },
    body: JSON.stringify(pretendedOrder({ ms: 10 })),
  })
  expect(answer.status).toBe(202)
}

function names({ spans }: Collector): readonly string[] {
  return spans.map(({ name }) => name)
}

/** The first of a name, once it is there. */
async function spanOf(collector: Collector, name: string): Promise<CollectedSpan> {
  await expect.poll(() => names(collector)).toContain(name)
  const [found] = collector.spans.filter((one) => one.name === name)
  expect(found).toBeDefined()
  return found as CollectedSpan
}

/** Its parts that have come, in the order in which they began. */
function below({ spans }: Collector, whole: CollectedSpan | undefined): readonly CollectedSpan[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId !== undefined && parentSpanId === whole?.spanId)
    .toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
}
