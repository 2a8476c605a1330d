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

/** A figure and the values of its labels. */
type Row = readonly [value: number, ...labels: string[]]

interface Sources {
  readonly look: Look
  readonly offered: () => readonly Offered[]
}

/** Adds the gauges. */
export function gaugesOfStore(registry: Registry, read: Read, { look, offered }: Sources): void {
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
  for (const { name, help, labels, rows } of gaugesOfCounts)
    addGauge(registry, { name, help, labels, rows: async () => rows(await counts()) })
  const sealedByOthers = 'chandler_encryption_records'
  addGauge(registry, {
    name: sealedByOthers,
    help: 'Records still sealed with a key that is not the active one.',
    labels: ['key_id', 'state'],
    rows: async () => {
      const keys = await read(sealedByOthers, () => look.sealedByOthers())
      return keys?.map(({ key, records }): Row => [records, key, 'decrypt-only'])
    },
  })
  for (const [name, help, of] of gaugesOfCatalog)
    addGauge(registry, {
      name,
      help,
      labels: ['format'],
      rows: () => offered().map((one): Row => [one[of], one.format]),
    })
}

interface StoreGauge<Answer> {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  readonly rows: Answer
}

/** Adds a gauge that is read anew at each scrape; rows of the same labels are added up, and undefined leaves all as it was. */
function addGauge(
  registry: Registry,
  { name, help, labels, rows }: StoreGauge<() => Promise<readonly Row[] | undefined> | readonly Row[]>,
): void {
  new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    async collect() {
      const found = await rows()
      if (found === undefined) return
      this.reset()
      for (const [value, ...values] of found) this.labels(...values).inc(value)
    },
  })
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

function byState(name: string, help: string, of: StateCount['of']): CountsGauge {
  const rows = (all: readonly StateCount[]) =>
    all.filter((one) => one.of === of).map(({ count, state }): Row => [count, state])
  return { name, help, labels: ['state'], rows }
}

function byAction(name: string, help: string, states: readonly string[]): CountsGauge {
  const rows = (all: readonly StateCount[]) =>
    operationsIn(all, states).map(({ count, action }): Row => [count, action ?? 'other'])
  return { name, help, labels: ['kind'], rows }
}

function single(name: string, help: string, of: (all: readonly StateCount[]) => number): CountsGauge {
  return { name, help, labels: [], rows: (all) => [[of(all)]] }
}

type CountsGauge = StoreGauge<(all: readonly StateCount[]) => readonly Row[]>

const gaugesOfCounts: readonly CountsGauge[] = [
  byState('chandler_instances', 'Instances by state.', 'instance'),
  byState('chandler_bindings', 'Bindings by state.', 'binding'),
  byAction('chandler_operations_running', 'Operations under way.', running),
  byAction('chandler_operations_queued', 'Operations that wait.', ['queued']),
  single('chandler_operations_quarantined', 'Operations held back.', (all) => sum(all, ['quarantined'])),
  single('chandler_operations_oldest_queued_seconds', 'Age of the oldest that waits.', (all) =>
    oldest(all, ['queued']),
  ),
  single('chandler_operations_oldest_running_seconds', 'Age of the oldest under way.', (all) =>
    oldest(all, running),
  ),
]

const gaugesOfCatalog = [
  ['chandler_packages', 'Packages in the catalog.', 'packages'],
  ['chandler_catalog_offerings', 'Services in the catalog.', 'services'],
  ['chandler_catalog_plans', 'Plans in the catalog.', 'plans'],
] as const
