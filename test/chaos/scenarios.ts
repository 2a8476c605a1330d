/** What brokers have to survive: being killed at any moment, one of two dying, the database away, a stampede. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeRandom, type Random } from '../simulation/world.ts'
import { ask } from '../support/ask.ts'
import {
  accounts,
  type BrokerProcess,
  pretendedOrder,
  startBrokerProcess,
} from '../support/broker-process.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { noteStarts } from '../support/sim-starts.ts'
import { lookAfter } from './checks.ts'
import { type Expected, liveOnce } from './customer.ts'
import { openWire } from './cut.ts'
import { type Front, makeFront } from './front.ts'
import { openJournal } from './journal.ts'
import { goOnDuty } from './operator.ts'

export interface StormSize {
  readonly customers: number
  /** How often a process is killed or the wire is cut. */
  readonly blows: number
  readonly seed: number
}

export interface Outcome {
  readonly faults: readonly string[]
  readonly acknowledged: number
  readonly blows: number
  /** Operations that were claimed again and again by brokers which died at once, and had to be released by hand. */
  readonly released: number
  readonly slowest: string
}

/** Kill -9 of the only broker at random moments, restarted at once. */
export function killedBroker(store: 'sqlite' | 'postgres', size: StormSize): Promise<Outcome> {
  return weather(store, size, async ({ start, kill, front, random, blows }) => {
    let broker = await start()
    front.up([broker.url])
    for (let i = 0; i < blows; i++) {
      await front.after(random.between(1, 2 * size.customers))
      front.up([])
      await kill(broker)
      broker = await start()
      front.up([broker.url])
    }
  })
}

/** Two brokers over one PostgreSQL; one of them is killed again and again, the other one takes over. */
export function killedReplica(size: StormSize): Promise<Outcome> {
  return weather('postgres', size, async ({ start, kill, front, random, blows }) => {
    const brokers = [await start(), await start()]
    const urls = () => brokers.map(({ url }) => url)
    front.up(urls())
    for (let i = 0; i < blows; i++) {
      await front.after(random.between(1, 2 * size.customers))
      const victim = i % 2
      await kill(brokers[victim])
      await front.after(random.between(1, size.customers))
      brokers[victim] = await start()
      front.up(urls())
    }
  })
}

/** The connection to the database torn while statements are on their way, and sometimes away for a while. */
export function cutDatabase(size: StormSize): Promise<Outcome> {
  return weather('postgres', size, async ({ start, front, random, blows, database }) => {
    const wire = await openWire(database)
    const broker = await start(wire.url)
    front.up([broker.url])
    for (let i = 0; i < blows; i++) {
      await front.after(random.between(1, 2 * size.customers))
      if (random.chance(0.6)) wire.tear()
      else {
        wire.cut()
        // Health is asked past the database: the broker itself must go on answering.
        for (let asked = 0; asked < 20; asked++) await fetch(`${broker.url}/livez`).then((one) => one.text())
        wire.mend()
      }
    }
    return () => wire.close()
  })
}

/** Identical orders at once, at one broker or two: one instance, one operation. */
export async function stampede(store: 'sqlite' | 'postgres', orders: number): Promise<readonly string[]> {
  return inCnabContext(store, async ({ start }) => {
    const brokers = [await start(), ...(store === 'sqlite' ? [] : [await start()])] as const
    const path = '/v2/service_instances/wanted?accepts_incomplete=true'
    const answers = await Promise.all(
      Array.from({ length: orders }, async (_, i) => {
        const answer = await ask(brokers[i % brokers.length] ?? brokers[0], path, {
          as: accounts.platform,
          method: 'PUT',
          body: pretendedOrder({ ms: 60_000 }),
        })
        return `${answer.status} ${((await answer.json()) as { operation?: string }).operation}`
      }),
    )
    const listed = await ask(brokers[0], '/api/v1/operations?instance=wanted', { as: accounts.operator })
    const { items } = (await listed.json()) as { items: readonly { readonly id: string }[] }
    // One account has so many places; what finds none is refused and may be sent again.
    const distinct = [...new Set(answers.filter((answer) => !answer.startsWith('429 ')))]
    return distinct.length === 1 && items.length === 1 && distinct[0] === `202 ${items[0]?.id}`
      ? []
      : [`${items.length} operations; answers: ${distinct.slice(0, 10).join(', ')}`]
  })
}

interface Weather extends Pick<Room, 'start' | 'kill'> {
  readonly front: Front
  readonly random: Random
  readonly blows: number
  readonly database: string
}

type Blow = (weather: Weather) => Promise<undefined | (() => Promise<void>) | void>

/** Customers live their lives while the blows fall; when both are done, everything is looked at. */
function weather(store: 'sqlite' | 'postgres', size: StormSize, blow: Blow): Promise<Outcome> {
  return inCnabContext(store, async ({ start, kill, dataDir, starts, database, whenOneDies }) => {
    const random = makeRandom(size.seed)
    const front = makeFront(random.fork('front'))
    const journal = openJournal(join(dataDir, 'acknowledged.log'))
    const faults: string[] = []
    const expected: Expected[] = []
    let storming = true
    whenOneDies((why) => front.giveUp(why))
    const customer = async (number: number): Promise<void> => {
      const own = random.fork(`customer ${number}`)
      for (let life = 0; storming || life === 0; life++) {
        const instance = `c${number}-${life}`
        expected.push(await liveOnce(instance, { front, journal, random: own, faults }))
      }
    }
    const customers = Promise.all(Array.from({ length: size.customers }, (_, i) => customer(i)))
    customers.catch((why: Error) => front.giveUp(why))
    const duty = goOnDuty(front)
    const tidy = await blow({ start, kill, front, random: random.fork('blows'), blows: size.blows, database })
    storming = false
    await customers
    const acknowledged = journal.all()
    journal.close()
    const found = await lookAfter({ front, acknowledged, expected, starts: starts() })
    await duty.end()
    await tidy?.()
    return {
      faults: [...faults, ...found.faults],
      acknowledged: acknowledged.length,
      blows: size.blows,
      released: duty.released,
      slowest: found.slowest,
    }
  })
}

interface Room {
  readonly dataDir: string
  /** What the engine noted. */
  readonly starts: () => readonly string[]
  readonly database: string
  start(store?: string): Promise<BrokerProcess>
  kill(broker: BrokerProcess | undefined): Promise<void>
  /** Called when a broker ends that was not killed. */
  whenOneDies(tell: (why: Error) => void): void
}

/** A folder and a store for brokers; all of them and it are gone afterwards. */
async function inCnabContext<T>(store: 'sqlite' | 'postgres', use: (room: Room) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'chandler-chaos-'))
  const starts = noteStarts(dataDir)
  const server: PostgresServer | undefined = store === 'postgres' ? await startPostgres() : undefined
  const database = server === undefined ? 'sqlite' : await server.database()
  const brokers: BrokerProcess[] = []
  const killed = new Set<BrokerProcess>()
  let tell: (why: Error) => void = () => undefined
  try {
    return await use({
      dataDir,
      starts,
      database,
      async start(at = database) {
        const broker = await startBrokerProcess({ dataDir, store: at, environment: impatient })
        brokers.push(broker)
        void broker.ended.then((code) => {
          if (!killed.has(broker))
            tell(new Error(`a broker ended by itself with ${code}:\n${lastWords(broker)}`))
        })
        return broker
      },
      async kill(broker) {
        if (broker === undefined) return
        killed.add(broker)
        await broker.end('SIGKILL')
      },
      whenOneDies: (listener) => {
        tell = listener
      },
    })
  } finally {
    for (const broker of brokers) killed.add(broker)
    await Promise.all(brokers.map((broker) => broker.end('SIGKILL')))
    await server?.stop()
    rmSync(dataDir, { recursive: true, force: true })
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
const impatient = {
  CHANDLER_OPERATIONS_LEASE: '2s',
  CHANDLER_OPERATIONS_HEARTBEAT: '500ms',
  CHANDLER_OPERATIONS_POLL: '200ms',
  CHANDLER_OPERATIONS_CONCURRENCY: '128',
  CHANDLER_OPERATIONS_PER_PLATFORM: '128',
}
