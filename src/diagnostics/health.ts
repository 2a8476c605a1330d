/** What health asks of this process: do its loops turn, does the store take writes, is there room on the disk. */
import { statfs } from 'node:fs/promises'
import type { HealthCheck, HealthPorts } from '../http/health.ts'
import type { Metrics } from '../http/metrics.ts'
import { requestIdOf } from '../http/request-id.ts'
import type { Chance, Clock } from '../kit/clock.ts'
import type { Store } from '../store/store.ts'

export interface HealthParts {
  readonly clock: Clock
  readonly chance: Chance
  readonly store: Store
  readonly metrics: Metrics
  readonly dataDir: string
  readonly minFreeDisk: number
  /** When each loop last came round, by the monotonic clock, and how long that may be ago. */
  pulses(): readonly { readonly name: string; readonly at: number; readonly withinMs: number }[]
  /** Sinks of the audit trail that take nothing for too long. */
  sinksBehind(): readonly string[]
  readonly state: { started: boolean; draining: boolean }
}

const storeWithinMs = 1000

/** Health of a running broker. */
export function healthOf(parts: HealthParts): HealthPorts {
  const { clock, metrics, state } = parts
  return {
    requestId: (headers) => requestIdOf(headers, parts),
    alive: () =>
      parts.pulses().map(({ name, at, withinMs }) => {
        const ago = Math.round(clock.monotonic() - at)
        return { name, ok: ago < withinMs, detail: `turned ${ago} ms ago` }
      }),
    started: () => state.started,
    ready: async () => [
      { name: 'draining', ok: !state.draining, detail: state.draining ? 'on its way out' : 'no' },
      await storeCheck(parts),
      await diskCheck(parts),
      sinksCheck(parts.sinksBehind()),
    ],
    metrics: async (accept) => {
      const form = metrics.formFor(accept)
      return { contentType: form, text: await metrics.text(form) }
    },
  }
}

async function storeCheck(parts: HealthParts): Promise<HealthCheck> {
  const { clock } = parts
  const startedAt = clock.monotonic()
  const fault = await storeFault(parts)
  return {
    name: 'store',
    ok: fault === undefined,
    detail: fault ?? `${Math.round(clock.monotonic() - startedAt)} ms`,
  }
}

/** Why the store takes no writes at the moment; undefined: it does. */
export async function storeFault({
  clock,
  store,
}: {
  readonly clock: Pick<Clock, 'sleep'>
  readonly store: Pick<Store, 'probe'>
}): Promise<string | undefined> {
  const limit = new AbortController()
  const late = clock.sleep(storeWithinMs, limit.signal).then(() => 'no answer within a second')
  const answer = store.probe().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : 'failed'),
  )
  const fault = await Promise.race([answer, late])
  limit.abort()
  return fault
}

function sinksCheck(behind: readonly string[]): HealthCheck {
  const detail =
    behind.length === 0 ? 'take what there is' : `nothing taken for too long: ${behind.join(', ')}`
  return { name: 'audit sinks', ok: behind.length === 0, detail }
}

async function diskCheck({ dataDir, minFreeDisk }: HealthParts): Promise<HealthCheck> {
  const { bavail, bsize } = await statfs(dataDir)
  const free = bavail * bsize
  return { name: 'disk', ok: free >= minFreeDisk, detail: `${Math.round(free / 2 ** 20)} MiB free` }
}
