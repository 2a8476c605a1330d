/** The support bundle of a running broker. */
import type { Ports } from '../../broker/ports.ts'
import type { HealthCheck } from '../../http/health.ts'
import type { Metrics } from '../../http/metrics.ts'
import type { Log } from '../../kit/log.ts'
import { secretsIn } from '../../settings/load.ts'
import type { Entry } from '../../settings/read.ts'
import type { Settings } from '../../settings/settings.ts'
import type { KeyRing } from '../../store/keys.ts'
import { examineRows } from '../examine-rows.ts'
import type { Seen } from '../seen.ts'
import { makeBundle } from './bundle.ts'
import { documentFile, type SupportFile, type SupportWish } from './file.ts'
import { aboutFile, settingsFile } from './machine-files.ts'

export interface BrokerSupportParts {
  readonly ports: Ports
  readonly version: string
  readonly metrics: Pick<Metrics, 'text'>
  readonly log: Pick<Log, 'latest'>
  readonly ring: KeyRing
  /** As they are at the moment. */
  readonly settings: () => Settings
  /** With their origins; absent where they were made by a program. */
  readonly entries: (() => readonly Entry[]) | undefined
  health(): Promise<readonly HealthCheck[]>
}

/** Makes a bundle whenever it is asked. */
export function supportOf(parts: BrokerSupportParts): (wish: SupportWish) => Promise<Uint8Array> {
  const { ports, version, ring, entries } = parts
  const { clock, store } = ports
  return async (wish) =>
    makeBundle(
      {
        ...{ version, clock },
        files: [
          ...(await processFiles(parts, wish)),
          ...(entries === undefined ? [] : [settingsFile(entries())]),
        ],
        secrets: secretsIn(parts.settings()).map((secret) => secret.reveal()),
        store: { ...ports, findings: withoutClock(await examineRows(store.look, { clock, ring })) },
        leftOut: [],
      },
      wish,
    )
}

async function processFiles(
  { ports, version, metrics, log, health }: BrokerSupportParts,
  { sinceMs }: SupportWish,
): Promise<readonly SupportFile[]> {
  const from = new Date(ports.clock.now() - sinceMs).toISOString()
  return [
    aboutFile(version),
    documentFile('health.json', 'loops, store, disk and engines, as the process sees them', {
      node: ports.node,
      checks: await health(),
    }),
    { name: 'figures.txt', about: 'all figures, as Prometheus would read them', text: await metrics.text() },
    {
      name: 'log.jsonl',
      about: 'the newest lines of the log of this process',
      text: log
        .latest()
        .filter((line) => !isBefore(line, from))
        .join(''),
    },
  ]
}

function isBefore(line: string, from: string): boolean {
  const [, time] = /"time":"([^"]+)"/.exec(line) ?? []
  return time !== undefined && time < from
}

/** A running broker remembers what time the database has: asked now it would always agree. */
function withoutClock(seen: readonly Seen[]): readonly Seen[] {
  return seen.filter(({ id }) => id !== 'clock')
}
