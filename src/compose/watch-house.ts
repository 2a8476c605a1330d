/** Figures about the house that are read when somebody looks: catalog, disk, size of the store. */
import { stat, statfs } from 'node:fs/promises'
import type { Ports } from '../broker/ports.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Offered } from '../http/store-metrics.ts'
import type { Settings } from '../settings/settings.ts'
import { storeUrlOf } from './house-rules.ts'

/** Adds the figures. */
export function watchHouse(metrics: Metrics, settings: Settings, { store, catalog }: Ports): void {
  metrics.watch(store.look, () => offeredBy(catalog().offers))
  metrics.gauge('chandler_disk_free_bytes', 'Room on the disk of the data folder.', async () => {
    const { bavail, bsize } = await statfs(settings.dataDir)
    return bavail * bsize
  })
  const url = storeUrlOf(settings)
  if (!url.startsWith('sqlite:')) return
  metrics.gauge('chandler_store_size_bytes', 'Size of the files of the store.', async () => {
    const file = url.slice('sqlite:'.length)
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
