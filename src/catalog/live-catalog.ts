/** The catalog that is offered now; another takes its place whole, or not at all. */
import type { Login } from '../artifacts/index.ts'
import { type Catalog, makeCatalog, type Offer } from '../broker/catalog.ts'
import type { MountedPrograms } from '../broker/ports.ts'
import type { Clock } from '../kit/clock.ts'
import { present } from '../kit/present.ts'
import { entriesOf } from '../settings/catalog-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { type CatalogOrder, type Entry, type LoadedCatalog, loadCatalog } from './load-catalog.ts'
import { readForSandbox } from './sandbox.ts'
import { makeSandboxReadings } from './sandbox-readings.ts'
import { loginAmong } from './source-of.ts'

export interface LiveCatalog {
  catalog(): Catalog
  /** What the operator lends to all instances of a plan. */
  readonly lentTo: (offer: Offer) => MountedPrograms
  /** Reads the packages and offers them. Problems: those of loading; what was offered stays. */
  fill(written: Settings['catalog']): Promise<void>
  /** The sources of the catalog, and when their registries were last heard. */
  sources(): readonly LiveSource[]
  /** Asks a source again; answers whether another catalog is offered now. Problems: those of loading. */
  refresh(name: string): Promise<boolean>
  /** Offers what stands in the sandboxes now; answers whether another catalog is offered. */
  takeSandboxes(): Promise<boolean>
  /** Resolves when no package of a sandbox is being read, which the signal ends. */
  settled(): Promise<void>
  /** The login of the source that lists an image. */
  loginFor(host: string, repository: string): Login | undefined
}

export interface LiveSource {
  readonly name: string
  readonly everyMs: number
  readonly listedAt: number | undefined
  /** Whether it answered when it was last asked. */
  readonly isFresh: boolean
}

interface Around extends Omit<CatalogOrder, 'entries' | 'recall' | 'again' | 'readings'> {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
}

/** An empty shelf. The first filling takes sources as they were when the broker last ran. */
export function makeLiveCatalog({ clock, ...given }: Around): LiveCatalog {
  const readings = makeSandboxReadings({
    ...given,
    clock,
    read: (row, signal) => readForSandbox(given.room, row, signal),
  })
  const around = { ...given, readings }
  let loaded: LoadedCatalog = { catalog: makeCatalog([]), parts: [], sandboxes: [], lentTo: () => ({}) }
  let loginFor: LiveCatalog['loginFor'] = () => undefined
  let isFirst = true
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work)
    last = turn.catch(() => undefined)
    return turn
  }
  /** One entry is read again, or none; all others are as they were. */
  const loadAgain = async (entry?: Entry): Promise<boolean> => {
    const before = loaded
    const entries = before.parts.map((part) => part.entry)
    loaded = await loadCatalog({ ...around, entries, again: { before, ...present({ entry }) } })
    return loaded.catalog !== before.catalog
  }
  return {
    catalog: () => loaded.catalog,
    lentTo: (offer) => loaded.lentTo(offer),
    loginFor: (host, repository) => loginFor(host, repository),
    fill: (written) =>
      inTurn(async () => {
        const entries = entriesOf(written)
        const before = loginFor
        loginFor = loginAmong(entries.filter((entry) => 'source' in entry))
        try {
          loaded = await loadCatalog({ ...around, entries, recall: isFirst })
        } catch (error) {
          loginFor = before
          throw error
        }
        isFirst = false
      }),
    sources: () =>
      loaded.parts.flatMap(({ entry, loaded: one }) =>
        one === undefined || !('source' in entry)
          ? []
          : [
              {
                name: entry.source.name,
                everyMs: entry.source.refreshInterval,
                listedAt: one.listedAt,
                isFresh: one.isFresh,
              },
            ],
      ),
    refresh: (name) =>
      inTurn(async () => {
        const asked = loaded.parts.find(({ entry }) => 'source' in entry && entry.source.name === name)
        return asked !== undefined && (await loadAgain(asked.entry))
      }),
    takeSandboxes: () => inTurn(() => loadAgain()),
    settled: () => readings.settled(),
  }
}
