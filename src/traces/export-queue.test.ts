/** The queue of spans against collectors that fail, with a clock that does not wait. */
import { expect, test } from 'vitest'
import { openExportQueue } from './export-queue.ts'
import type { EndedSpan } from './otlp.ts'
import type { Sent } from './send.ts'

const failed: Sent = { kind: 'failed', why: 'HTTP 503' }
const taken: Sent = { kind: 'taken', rejected: 0 }

test.each([
  ['taken at once', [taken], ['sent 1']],
  ['taken at the third try', [failed, failed, taken], ['sent 1']],
  ['given up after five tries', Array<Sent>(5).fill(failed), ['lost 1 unreachable']],
  ['refused', [{ kind: 'refused', why: 'HTTP 400' }], ['lost 1 refused']],
  ['taken but for one', [{ kind: 'taken', rejected: 1 }], ['sent 0', 'lost 1 refused']],
] as const)('a batch is %s', async (_name, answers, events) => {
  const { queue, told, left } = opened(answers)

  queue.add(span)

  await expect.poll(() => told).toEqual(events)
  expect(left).toEqual([])
  await queue.close(0)
})

test('a collector that says when to come back is believed, half a minute at most', async () => {
  const { queue, told, pauses } = opened([
    { ...failed, afterMs: 7000 },
    { ...failed, afterMs: 90_000 },
    taken,
  ])

  queue.add(span)

  await expect.poll(() => told).toEqual(['sent 1'])
  expect(pauses.filter((ms) => ms !== delayMs)).toEqual([7000, 30_000])
  await queue.close(0)
})

const delayMs = 5

const span: EndedSpan = {
  context: { traceId: '1'.repeat(32), spanId: '2'.repeat(16), isSampled: true },
  ...{ parentId: undefined, name: 'one', kind: 'internal', fault: undefined },
  ...{ begunAt: 0, endedAt: 1, attributes: {}, links: [] },
}

/** A queue over a collector that gives these answers. */
function opened(answers: readonly Sent[]) {
  const left = [...answers]
  const told: string[] = []
  const pauses: number[] = []
  const queue = openExportQueue({
    sender: { send: async () => left.shift() ?? taken, close: () => undefined },
    resource: {},
    batch: { delayMs, queueMax: 10, sizeMax: 5 },
    clock: {
      now: () => 0,
      monotonic: () => 0,
      sleep: (ms) => {
        pauses.push(ms)
        return new Promise((resolve) => void setImmediate(resolve))
      },
    },
    chance: { bytes: (count) => new Uint8Array(count), number: () => 0 },
    sent: (many) => told.push(`sent ${many}`),
    lost: (many, why) => told.push(`lost ${many} ${why}`),
    told: () => undefined,
  })
  return { queue, told, left, pauses }
}
