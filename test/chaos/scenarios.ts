/** What brokers have to survive: being killed at any moment, one of two dying, the database away, a stampede. */
import { join } from 'node:path'
import { present } from '../../src/kit/present.ts'
import { makeRandom, type Random } from '../simulation/world.ts'
import { ask } from '../support/ask.ts'
import { accounts, pretendedOrder } from '../support/broker-process.ts'
import { lookAfter } from './checks.ts'
import { type Expected, liveOnce } from './customer.ts'
import { openWire } from './cut.ts'
import { type Front, makeFront } from './front.ts'
import { openJournal } from './journal.ts'
import { leftBehind, untilSwept } from './leftovers.ts'
import { goOnDuty } from './operator.ts'
import { inRoom, type Room, type StoreKind, type WaresKind } from './room.ts'
import { type ClusterBlow, clusterBlows } from './stormy-cluster.ts'

export interface StormSize {
  readonly customers: number
  /** How often a process is killed or the wire is cut. */
  readonly blows: number
  readonly seed: number
  /** How many answers may come between two blows; absent: two for each customer. */
  readonly answers?: number
  /** With which blow the node is away until the cluster takes it for lost; absent: never, since that takes a minute. */
  readonly unreadyAt?: number
  /** Told of each blow. */
  readonly told?: (blow: number) => void
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
export function killedBroker(store: StoreKind, size: StormSize): Promise<Outcome> {
  return weather(store, size, restarts)
}

/** The same, while the programs of a bundle work in containers. */
export function killedWithContainers(size: StormSize & { readonly kind?: WaresKind }): Promise<Outcome> {
  // A container takes longer than two answers: some must get as far as their start.
  return weather('sqlite', { answers: 100, kind: 'bundled', ...size }, restarts)
}

const restarts: Blow = async ({ start, kill, front, random, size }) => {
  let broker = await start()
  front.up([broker.url])
  for (let i = 0; i < size.blows; i++) {
    size.told?.(i)
    // However slow the host is, something comes to its end between some of the kills.
    if (random.chance(0.3)) await front.after(1, 'end')
    else await front.after(random.between(1, size.answers ?? 2 * size.customers))
    front.up([])
    await kill(broker)
    broker = await start()
    front.up([broker.url])
  }
}

/** Two brokers over one PostgreSQL; one of them is killed again and again, the other one takes over. */
export function killedReplica(size: StormSize): Promise<Outcome> {
  return weather('postgres', size, async ({ start, kill, front, random }) => {
    const brokers = [await start(), await start()]
    const urls = () => brokers.map(({ url }) => url)
    front.up(urls())
    for (let i = 0; i < size.blows; i++) {
      size.told?.(i)
      await front.after(random.between(1, 2 * size.customers))
      const victim = i % 2
      await kill(brokers[victim])
      await front.after(random.between(1, size.customers))
      brokers[victim] = await start()
      front.up(urls())
    }
  })
}

/**
 * Three brokers over one PostgreSQL and a cluster, where programs work in pods: brokers are killed, the API server ends and forgets,
 * the way to it is cut, others delete pods, the node freezes.
 */
export function disturbedCluster(size: StormSize): Promise<Outcome> {
  const told = { answers: 400, kind: 'in-pods', ...size } as const
  return weather('postgres', told, async ({ start, kill, front, random, cluster }) => {
    const brokers = [await start(), await start(), await start()]
    const urls = () => brokers.map(({ url }) => url)
    front.up(urls())
    const killOne = async (): Promise<void> => {
      const victim = random.between(0, brokers.length - 1)
      await kill(brokers[victim])
      await front.after(random.between(1, size.customers))
      brokers[victim] = await start()
      front.up(urls())
    }
    // Each kind once before any comes again.
    let kinds: ClusterBlow[] = []
    const disturb = async (): Promise<void> => {
      if (kinds.length === 0) kinds = [...clusterBlows]
      const kind = random.pick(kinds)
      kinds.splice(kinds.indexOf(kind), 1)
      await cluster?.blow(kind, random)
    }
    for (let i = 0; i < size.blows; i++) {
      size.told?.(i)
      await front.after(random.between(1, told.answers))
      await Promise.all([disturb(), ...(random.chance(0.7) ? [killOne()] : [])])
      if (i === size.unreadyAt) await cluster?.blow('unready', random)
    }
  })
}

/** The connection to the database torn while statements are on their way, and sometimes away for a while. */
export function cutDatabase(size: StormSize): Promise<Outcome> {
  return weather('postgres', size, async ({ start, front, random, database }) => {
    const wire = await openWire(database)
    const broker = await start(wire.url)
    front.up([broker.url])
    for (let i = 0; i < size.blows; i++) {
      size.told?.(i)
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

const unanswered = 'unanswered'

/** Identical orders at once, at one broker or two: one instance, one operation. */
export async function stampede(store: StoreKind, orders: number): Promise<readonly string[]> {
  return inRoom(store, 'pretended', async ({ start }) => {
    const brokers = [await start(), ...(store === 'sqlite' ? [] : [await start()])] as const
    const path = '/v2/service_instances/wanted?accepts_incomplete=true'
    const order = async (i: number): Promise<string> => {
      const body = pretendedOrder({ ms: 60_000 })
      const asked = { as: accounts.platform, method: 'PUT', body }
      // On a host that is too slow for all of them a connection may be given up: nothing was answered.
      const answer = await ask(brokers[i % brokers.length] ?? brokers[0], path, asked).catch(() => undefined)
      if (answer === undefined) return unanswered
      return `${answer.status} ${((await answer.json()) as { operation?: string }).operation}`
    }
    const answers = await Promise.all(Array.from({ length: orders }, (_, i) => order(i)))
    const listed = await ask(brokers[0], '/api/v1/operations?instance=wanted', { as: accounts.operator })
    const { items } = (await listed.json()) as { items: readonly { readonly id: string }[] }
    // One account has so many places; what finds none is refused and may be sent again.
    const distinct = [
      ...new Set(answers.filter((answer) => answer !== unanswered && !answer.startsWith('429 '))),
    ]
    return distinct.length === 1 && items.length === 1 && distinct[0] === `202 ${items[0]?.id}`
      ? []
      : [`${items.length} operations; answers: ${distinct.slice(0, 10).join(', ')}`]
  })
}

interface Weather extends Pick<Room, 'start' | 'kill' | 'cluster'> {
  readonly front: Front
  readonly random: Random
  readonly size: StormSize
  readonly database: string
}

type Blow = (weather: Weather) => Promise<undefined | (() => Promise<void>) | void>

/** Customers live their lives while the blows fall; when both are done, everything is looked at. */
function weather(
  store: StoreKind,
  size: StormSize & { readonly kind?: WaresKind },
  blow: Blow,
): Promise<Outcome> {
  return inRoom(store, size.kind ?? 'pretended', async (room) => {
    const { start, kill, dataDir, wares, database, cluster } = room
    const random = makeRandom(size.seed)
    const front = makeFront(random.fork('front'))
    const journal = openJournal(join(dataDir, 'acknowledged.log'))
    const faults: string[] = []
    const expected: Expected[] = []
    let storming = true
    room.whenOneDies((why) => front.giveUp(why))
    const customer = async (number: number): Promise<void> => {
      const own = random.fork(`customer ${number}`)
      for (let life = 0; storming || life === 0; life++) {
        const instance = `c${number}-${life}`
        const ports = { front, wares, journal, random: own, faults, bereft: cluster?.bereft ?? new Set() }
        expected.push(await liveOnce(instance, ports))
      }
    }
    const customers = Promise.all(Array.from({ length: size.customers }, (_, i) => customer(i)))
    customers.catch((why: Error) => front.giveUp(why))
    const duty = goOnDuty(front)
    const tidy = await blow({ start, kill, front, random: random.fork('blows'), size, database, cluster })
    storming = false
    await customers
    const acknowledged = journal.all()
    journal.close()
    const found = await lookAfter({ front, wares, acknowledged, expected })
    await duty.end()
    const place = { dataDir, temporary: room.temporary, runs: found.runs, ...present({ cluster }) }
    await untilSwept(place)
    await room.endAll()
    await tidy?.()
    const left = await leftBehind(place)
    return {
      faults: [...faults, ...found.faults, ...left],
      acknowledged: acknowledged.length,
      blows: size.blows,
      released: duty.released,
      slowest: found.slowest,
    }
  })
}
