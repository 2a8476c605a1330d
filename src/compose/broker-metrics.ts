/** Figures about the broker that are read when they are scraped: catalog, disk, store, content, keys. */
import { stat, statfs } from 'node:fs/promises'
import type { ArtifactStore } from '../artifacts/index.ts'
import type { Ports } from '../broker/ports.ts'
import { storeFault } from '../diagnostics/health.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Offered } from '../http/store-metrics.ts'
import type { Clock } from '../kit/clock.ts'
import { nowAndThen } from '../kit/now-and-then.ts'
import { migrations } from '../store/migrations/index.ts'
import type { Store } from '../store/store.ts'

export interface BrokerMetricSources {
  readonly dataDir: string
  readonly storeUrl: string
  readonly store: Pick<Store, 'look' | 'probe' | 'busy'>
  readonly clock: Pick<Clock, 'sleep'>
  readonly catalog: Ports['catalog']
  readonly artifacts: Pick<ArtifactStore, 'size'>
  /** Operations this node works on. */
  running(): number
}

/** What takes a walk over files is not counted for every scrape. */
const countedEveryMs = 60_000

/** Adds the figures. */
export function addBrokerMetrics(metrics: Metrics, house: BrokerMetricSources): void {
  const { dataDir, storeUrl, store, catalog, artifacts, running } = house
  const { look } = store
  metrics.watch(look, () => offeredBy(catalog().offers))
  metrics.gauge('chandler_leases_held', 'Operations this node works on.', running)
  metrics.gauge(
    'chandler_store_writable',
    'Whether the store takes writes, as readiness sees it.',
    async () => ((await storeFault(house)) === undefined ? 1 : 0),
  )
  metrics.gauge('chandler_store_pool_in_use', 'Connections that write at the moment (PostgreSQL).', () =>
    store.busy(),
  )
  metrics.gauge(
    'chandler_disk_free_bytes',
    'Free space on the disk of the data folder.',
    async () => {
      const { bavail, bsize } = await statfs(dataDir)
      return bavail * bsize
    },
    { volume: 'data' },
  )
  metrics.gauge(
    'chandler_content_store_bytes',
    'Packages and layers that are kept, packed.',
    nowAndThen(
      () => artifacts.size(),
      countedEveryMs,
      () => performance.now(),
    ),
  )
  metrics.gauge(
    'chandler_store_schema_version',
    'The latest step of the schema.',
    () => migrations.at(-1)?.number ?? 0,
  )
  metrics.gauge('chandler_audit_chain_height', 'Records in the audit trail that are chained.', () =>
    look.auditHeight(),
  )
  if (!storeUrl.startsWith('sqlite:')) return
  metrics.gauge('chandler_store_size_bytes', 'Size of the files of the store (SQLite).', async () => {
    const file = storeUrl.slice('sqlite:'.length)
    const sizes = [file, `${file}-wal`].map((one) =>
      stat(one).then(
        ({ size }) => size,
        () => 0,
      ),
    )
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  })
}

function offeredBy(offers: ReturnType<Ports['catalog']>['offers']): readonly Offered[] {
  const formats = [...new Set(offers.map((offer) => offer.package.contract))]
  return formats.map((format) => {
    const of = offers.filter((offer) => offer.package.contract === format)
    const distinct = (word: (offer: (typeof offers)[number]) => string | undefined): number =>
      new Set(of.map(word)).size
    return {
      format,
      packages: distinct((offer) => offer.package.digest),
      services: distinct((offer) => offer.service.id),
      plans: of.length,
    }
  })
}
