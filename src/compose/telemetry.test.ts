import { expect, test } from 'vitest'
import { openMetrics } from '../http/metrics.ts'
import type { Log } from '../kit/log.ts'
import type { WorkEvent } from '../work/work-report.ts'
import { telemetryOf } from './telemetry.ts'

const operation = 'o'
const claimed = { kind: 'claimed', operation, action: 'bind', queuedMs: 500 } as const

/** What the work tells, the figure that moves, and the line in the log, if any. */
const moves: readonly (readonly [event: WorkEvent, figure: string, line: string | undefined])[] = [
  [
    { ...claimed, claim: 'first' },
    'chandler_operation_queue_seconds_sum{kind="bind"} 0.5',
    'operation.claimed',
  ],
  [{ ...claimed, claim: 'takeover' }, 'chandler_takeovers_total 1', 'operation.claimed'],
  [
    { kind: 'attempted', format: 'tweed', engine: 'sim', result: 'lost' },
    'chandler_operation_attempts_total{format="tweed",engine="sim",result="lost"} 1',
    undefined,
  ],
  [
    { kind: 'spent', phase: 'collect', format: 'tweed', engine: 'sim', ms: 250 },
    'chandler_operation_overhead_seconds_sum{format="tweed",engine="sim",phase="collect"} 0.25',
    undefined,
  ],
  [
    { kind: 'sought', operation, run: 'r', engine: 'sim', result: 'found' },
    'chandler_reattach_total{engine="sim",result="found"} 1',
    'operation.adopted',
  ],
  [
    { kind: 'sought', operation, run: 'r', engine: 'sim', result: 'missing' },
    'chandler_reattach_total{engine="sim",result="missing"} 1',
    'operation.run-missing',
  ],
  [{ kind: 'renewed', leases: 3 }, 'chandler_lease_renewals_total 3', undefined],
  [{ kind: 'renewal-failed' }, 'chandler_lease_renew_failures_total 1', undefined],
  [{ kind: 'lease-lost', operation }, 'chandler_leases_lost_total 1', 'lease.lost'],
  [{ kind: 'fenced', operation }, 'chandler_fenced_writes_rejected_total 1', undefined],
  [
    { kind: 'swept', run: 'r', engine: 'sim', type: 'process', why: 'w' },
    'chandler_orphans_removed_total{engine="sim",type="process"} 1',
    'orphan.removed',
  ],
  [
    { kind: 'left-over', engine: 'sim', type: 'process', runs: 2 },
    'chandler_orphans{engine="sim",type="process"} 2',
    undefined,
  ],
]

/** A log of which only the codes are kept. */
function noting(codes: string[]): Log {
  const note = (code: string): void => void codes.push(code)
  return {
    ...{ debug: note, info: note, warn: note, error: note, fatal: note },
    tag: () => undefined,
    ask: () => undefined,
    setLevel: () => undefined,
    latest: () => [],
    flush: () => Promise.resolve(),
  }
}

test.each(moves)('%o moves %s', async (event, figure, line) => {
  const metrics = openMetrics({ version: '1', nodeVersion: 'v24' })
  const lines: string[] = []

  telemetryOf(noting(lines), metrics).report.event(event)

  expect(await metrics.text()).toContain(figure)
  expect(lines).toEqual(line === undefined ? [] : [line])
})

test('an operation that is claimed again is counted neither as new nor as taken over', async () => {
  const metrics = openMetrics({ version: '1', nodeVersion: 'v24' })

  telemetryOf(noting([]), metrics).report.event({ ...claimed, claim: 'again' })

  expect(await metrics.text()).toContain('chandler_takeovers_total 0')
  expect(await metrics.text()).not.toContain('chandler_operation_queue_seconds_count{')
})

test('an operation that is held back is an error of the log; its figure is counted in the store', () => {
  const lines: string[] = []

  telemetryOf(noting(lines), openMetrics({ version: '1', nodeVersion: 'v24' })).report.event({
    kind: 'quarantined',
    operation,
  })

  expect(lines).toEqual(['operation.quarantined'])
})

test('what the author of a package should mend is one warning, with the first of many faults', () => {
  const told: unknown[] = []
  const log: Log = { ...noting([]), warn: (code, _sentence, fields) => void told.push([code, fields]) }
  const problems = Array.from({ length: 12 }, (_, i) => ({
    code: 'apb.spec.ignored' as const,
    detail: `field ${i}`,
  }))

  const { report } = telemetryOf(log, openMetrics({ version: '1', nodeVersion: 'v24' }))
  report.event({ kind: 'warned', package: 'dh/queue', problems })
  report.event({ kind: 'warned', package: 'dh/stack', problems: problems.slice(0, 1) })

  const first = 'A field of the spec has no effect as it is written: field 0'
  expect(told).toEqual([
    ['package.warned', { package: 'dh/queue', warnings: expect.arrayContaining([first]), more: 2 }],
    ['package.warned', { package: 'dh/stack', warnings: [first] }],
  ])
})
