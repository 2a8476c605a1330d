/** A folder and a store for the brokers of a storm; all of them and it are gone afterwards. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrokerProcess, startBrokerProcess } from '../support/broker-process.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type StormyCluster, startStormyCluster } from './stormy-cluster.ts'
import { bundled, pretended, serviceBundled, type Wares } from './wares.ts'

export type StoreKind = 'sqlite' | 'postgres'

export interface Room {
  readonly dataDir: string
  /** Where the brokers put what is temporary. */
  readonly temporary: string
  readonly wares: Wares
  readonly database: string
  /** Where programs work in pods. */
  readonly cluster: StormyCluster | undefined
  start(store?: string): Promise<BrokerProcess>
  kill(broker: BrokerProcess | undefined): Promise<void>
  /** Ends all brokers that are left, as an operator does. */
  endAll(): Promise<void>
  /** Called when a broker ends that was not killed. */
  whenOneDies(tell: (why: Error) => void): void
}

/** What is ordered: pretended work, CNAB bundles, the same in pods, or service bundles, which call their stand-in while they run. */
export type WaresKind = keyof typeof makers
const makers = { pretended, bundled, 'in-pods': bundled, 'service-bundled': serviceBundled }

/** Lets it be used. */
export async function inRoom<T>(
  store: StoreKind,
  kind: WaresKind,
  use: (room: Room) => Promise<T>,
): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'chandler-chaos-'))
  const [dataDir, temporary] = [join(home, 'data'), join(home, 'temporary')]
  mkdirSync(dataDir, { mode: 0o700 })
  mkdirSync(temporary)
  const cluster = kind === 'in-pods' ? await startStormyCluster(home) : undefined
  const wares = await makers[kind](kind === 'pretended' ? dataDir : join(home, 'wares'), cluster)
  const server: PostgresServer | undefined = store === 'postgres' ? await startPostgres() : undefined
  const database = server === undefined ? 'sqlite' : await server.database()
  const brokers = new Set<BrokerProcess>()
  let tell: (why: Error) => void = () => undefined
  const end = async (broker: BrokerProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    brokers.delete(broker)
    await broker.end(signal)
  }
  try {
    return await use({
      dataDir,
      temporary,
      wares,
      database,
      cluster,
      async start(at = database) {
        const environment = { ...impatient, TMPDIR: temporary }
        const broker = await startBrokerProcess({
          dataDir,
          store: at,
          config: wares.config,
          environment,
        })
        brokers.add(broker)
        void broker.ended.then((code) => {
          if (brokers.has(broker))
            tell(new Error(`a broker ended by itself with ${code}:\n${lastWords(broker)}`))
        })
        return broker
      },
      kill: async (broker) => broker && (await end(broker, 'SIGKILL')),
      endAll: async () => void (await Promise.all([...brokers].map((broker) => end(broker, 'SIGTERM')))),
      whenOneDies: (listener) => {
        tell = listener
      },
    })
  } finally {
    await Promise.all([...brokers].map((broker) => end(broker, 'SIGKILL')))
    await server?.stop()
    await cluster?.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

function lastWords(broker: BrokerProcess): string {
  const lines = broker
    .said()
    .split('\n')
    .filter((line) => !/"level":"(info|debug)"/.test(line))
  return lines.slice(-5).join('\n').slice(-4000)
}

/** Leases that run out while a test is watching, and room for everybody. */
export const impatient = {
  CHANDLER_OPERATIONS_LEASE: '4s',
  CHANDLER_OPERATIONS_HEARTBEAT: '500ms',
  CHANDLER_OPERATIONS_SWEEP: '10s',
  CHANDLER_OPERATIONS_CONCURRENCY: '128',
  CHANDLER_OPERATIONS_PER_PLATFORM: '128',
}
