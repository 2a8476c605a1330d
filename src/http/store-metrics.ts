/** Figures counted in the store and the catalog: by one question, at most once a minute, however often they are scraped. */
import { Gauge, type Registry } from 'prom-client'
import { nowAndThen } from '../kit/now-and-then.ts'
import type { Look, StateCount } from '../store/store.ts'
import type { Read } from './figure-reader.ts'

/** What a contract's packages offer. */
export interface Offered {
  readonly format: string
  readonly packages: number
  readonly services: number
  readonly plans: number
}

const countedEveryMs = 60_000

/** Adds the gauges. */
export function gaugesOfStore(
  registry: Registry,
  read: Read,
  { look, offered }: { readonly look: Look; readonly offered: () => readonly Offered[] },
): void {
  const registers = [registry]
  let last: readonly StateCount[] = []
  const ask = nowAndThen(
    () => look.countByState(),
    countedEveryMs,
    () => performance.now(),
  )
  /** A store that is down leaves the figures as they were, and is asked again at the next scrape. */
  const counts = async (): Promise<readonly StateCount[]> => {
    last = (await read('chandler_instances', ask)) ?? last
    return last
  }
  const byState = (name: string, help: string, of: StateCount['of']) =>
    new Gauge({
      name,
      help,
      labelNames: ['state'],
      registers,
      async collect() {
        this.reset()
        for (const one of await counts()) if (one.of === of) this.labels(one.state).set(one.count)
      },
    })
  const single = (name: string, help: string, of: (counts: readonly StateCount[]) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(of(await counts()))
      },
    })
  const byAction = (name: string, help: string, states: readonly string[]) =>
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers,
      async collect() {
        this.reset()
        for (const one of operationsIn(await counts(), states))
          this.labels(one.action ?? 'other').inc(one.count)
      },
    })
  byState('chandler_instances', 'Instances by state.', 'instance')
  byState('chandler_bindings', 'Bindings by state.', 'binding')
  byAction('chandler_operations_running', 'Operations under way.', running)
  byAction('chandler_operations_queued', 'Operations that wait.', ['queued'])
  single('chandler_operations_quarantined', 'Operations held back.', (all) => sum(all, ['quarantined']))
  single('chandler_operations_oldest_queued_seconds', 'Age of the oldest that waits.', (all) =>
    oldest(all, ['queued']),
  )
  single('chandler_operations_oldest_running_seconds', 'Age of the oldest under way.', (all) =>
    oldest(all, running),
  )
  const sealedByOthers = 'chandler_encryption_records'
  new Gauge({
    name: sealedByOthers,
    help: 'Records still sealed with a key that is not the active one.',
    labelNames: ['key_id', 'state'],
    registers,
    async collect() {
      const keys = await read(sealedByOthers, () => look.sealedByOthers())
      if (keys === undefined) return
      this.reset()
      for (const { key, records } of keys) this.labels(key, 'decrypt-only').set(records)
    },
  })
  const catalog = (name: string, help: string, of: 'packages' | 'services' | 'plans') =>
    new Gauge({
      name,
      help,
      labelNames: ['format'],
      registers,
      collect() {
        this.reset()
        for (const one of offered()) this.labels(one.format).set(one[of])
      },
    })
  catalog('chandler_packages', 'Packages in the catalog.', 'packages')
  catalog('chandler_catalog_offerings', 'Services in the catalog.', 'services')
  catalog('chandler_catalog_plans', 'Plans in the catalog.', 'plans')
}

const running = ['preparing', 'running', 'collecting', 'stopping']

function operationsIn(counts: readonly StateCount[], states: readonly string[]): readonly StateCount[] {
  return counts.filter((one) => one.of === 'operation' && states.includes(one.state))
}

function sum(counts: readonly StateCount[], states: readonly string[]): number {
  return operationsIn(counts, states).reduce((total, { count }) => total + count, 0)
}

function oldest(counts: readonly StateCount[], states: readonly string[]): number {
  return Math.max(0, ...operationsIn(counts, states).map(({ oldestMs }) => oldestMs / 1000))
}
