/** What the parts of a broker tell of themselves becomes spans of the work that they belong to. */
import { expect, onTestFinished, test } from 'vitest'
import { startCollector } from '../../test/support/collector.ts'
import { anOperation } from '../../test/support/rows.ts'
import { systemClock } from '../kit/clock.ts'
import { openLog } from '../kit/log.ts'
import { fail } from '../model/problem.ts'
import { openTraces } from './traces.ts'

async function opened(sampler: string) {
  const collector = await startCollector()
  onTestFinished(() => collector.close())
  const around = {
    level: 'fatal',
    format: 'json',
    clock: systemClock,
    always: {},
    secrets: () => [],
  } as const
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: sampler }
  const metrics = { spansSent: () => undefined, spansLost: () => undefined }
  const traces = await openTraces(environment, { version: '1', metrics, log: openLog(around) })
  const { spans } = traces
  if (spans === undefined) throw new Error('no traces')
  return { collector, traces, spans }
}

test('calls of registries are parts of the work, and tell the registry so', async () => {
  const { collector, traces, spans } = await opened('always_on')
  const sent: unknown[] = []

  await spans.claimed(anOperation()).carry(
    () =>
      spans.within('step start', {}, async () => {
        await spans.registry({ method: 'GET', host: 'registry.example' }, async (headers) => {
          sent.push(headers)
          return { status: 200 }
        })
      }),
    () => undefined,
  )
  await traces.close()

  const [call, step, work] = collector.spans
  expect(call).toMatchObject({
    ...{ name: 'registry GET', kind: 3, traceId: work?.traceId, parentSpanId: step?.spanId },
    attributes: {
      'http.request.method': 'GET',
      'server.address': 'registry.example',
      'http.response.status_code': '200',
    },
  })
  expect(sent).toEqual([{ traceparent: `00-${call?.traceId}-${call?.spanId}-01` }])
})

test('what fails is told by the code of its problem, not by its words', async () => {
  const { collector, traces, spans } = await opened('always_on')

  const work = spans.claimed(anOperation()).carry(
    () => spans.call('engine start', {}, async () => fail('engine.unavailable', 'hunter2')),
    () => undefined,
  )

  await expect(work).rejects.toThrow()
  await traces.close()
  expect(collector.spans[0]?.attributes).toEqual({ 'error.type': 'engine.unavailable' })
  expect(collector.bodies.join()).not.toContain('hunter2')
})

test('parts of a work that is not kept are done all the same, and leave no span', async () => {
  const { collector, traces, spans } = await opened('always_off')
  const done: string[] = []

  await spans.claimed(anOperation()).carry(
    () =>
      spans.within('step start', {}, async () => {
        done.push('step')
      }),
    () => undefined,
  )
  await spans.within('step start', {}, async () => done.push('outside'))
  await traces.close()

  expect(done).toEqual(['step', 'outside'])
  expect(collector.bodies).toEqual([])
})

test('what goes on after its span has ended is no part of it', async () => {
  const { collector, traces, spans } = await opened('always_on')
  const order = {
    operation: 'o-1',
    kind: 'provision',
    format: 'sim',
    package: { name: 'db', digest: 'sha256:1' },
  } as const
  const told: unknown[] = []
  let late: Promise<unknown> = Promise.resolve()
  let goOn: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    goOn = resolve
  })

  await spans.claimed(anOperation()).carry(
    async () => {
      late = ended.then(async () => {
        await spans.within('step late', {}, async () => undefined)
        await spans.registry({ method: 'GET', host: 'registry.example' }, async (headers) => {
          told.push(headers)
          return { status: 200 }
        })
        spans.accepting({ ...order, target: { platform: 'cf', instance: 'i' } }).end()
      })
    },
    () => undefined,
  )
  goOn()
  await late
  await traces.close()

  const [work, accepted] = collector.spans
  expect(collector.spans.map(({ name }) => name)).toEqual(['operation provision', 'operation.accept'])
  expect(accepted).not.toMatchObject({ traceId: work?.traceId })
  expect(accepted?.parentSpanId).toBeUndefined()
  expect(told).toEqual([{}])
})
