/** What an innocent platform notices of attackers: p99 of its polls and orders while each attack runs, against a quiet broker. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Attack, attack, head } from '../../test/support/attacks.ts'
import {
  accounts,
  type BrokerProcess,
  orderPretended,
  startBrokerProcess,
} from '../../test/support/broker-process.ts'
import { openLoop } from '../broker/raw-load.ts'
import { targetOf } from '../broker/target.ts'
import { median, show } from '../figures.ts'

const pollsPerSecond = 200
const seconds = 2
const rounds = 3
const orders = 100
const dripEveryMs = 500

/** A body is announced, and one byte of it comes. */
const halfABody = (first: string, headers: Readonly<Record<string, string>> = {}): string =>
  `${head(first, { 'Content-Length': '1000', 'Content-Type': 'application/json', ...headers })}{`

const neighbour = { Authorization: accounts.neighbour, 'X-Broker-API-Version': '2.17' }
const follower = { Authorization: accounts.operator, Accept: 'text/event-stream' }
const wrong = `Basic ${Buffer.from('conformance:guess').toString('base64')}`

interface Row {
  readonly name: string
  readonly connections: number
  readonly text: string
  /** What the attackers do beside sending it: read no answer, send a byte now and then, end their own side and stay. */
  readonly manner?: 'deaf' | 'dripping' | 'half-open'
  /** Some of it is admitted, as far as the bounds of its account go. */
  readonly isAdmitted?: boolean
}

/** What each of them does; `operation` is one that goes on for as long as it is looked at. */
const attacksOn = (operation: string): readonly Row[] => [
  { name: 'strangers with half a body', connections: 520, text: halfABody('POST /api/v1/instances') },
  {
    name: 'heads that do not end',
    connections: 520,
    text: 'GET /v2/catalog HTTP/1.1\r\nHost: b\r\nX-Slow: ',
  },
  { name: 'connections that say nothing', connections: 10_000, text: '' },
  {
    name: 'strangers who end their side and stay',
    connections: 520,
    text: head('GET /v2/catalog'),
    manner: 'half-open',
  },
  {
    name: 'an account with half bodies',
    connections: 300,
    text: halfABody('PUT /v2/service_instances/x?accepts_incomplete=true', neighbour),
  },
  {
    name: 'an account with bodies that drip',
    connections: 300,
    text: halfABody('PUT /v2/service_instances/x?accepts_incomplete=true', neighbour),
    manner: 'dripping',
  },
  {
    name: 'followers of a log',
    connections: 520,
    text: head(`GET /api/v1/operations/${operation}/log`, follower),
    isAdmitted: true,
  },
  {
    name: 'guesses, pipelined',
    connections: 20,
    text: head('GET /v2/catalog', { Authorization: wrong }).repeat(60),
  },
  {
    name: 'an account that reads no answer',
    connections: 50,
    text: head('GET /v2/catalog', neighbour).repeat(60),
    manner: 'deaf',
    isAdmitted: true,
  },
]

/** Prints the figures. */
export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-bench-'))
  try {
    const broker = await startBrokerProcess({ dataDir: folder })
    const { operation, path } = await warm(broker)
    for (const row of attacksOn(operation)) {
      const quiet = await look(broker, path, `${row.name} quiet`)
      const running = await begin(broker, row)
      const attacked = await look(broker, path, `${row.name} attacked`)
      const answers = running.tally()
      await running[Symbol.asyncDispose]()
      const odd = Object.keys(answers).filter((status) => !row.isAdmitted && !status.startsWith('4'))
      console.log(
        `${row.name}: answered ${JSON.stringify(answers)}${odd.length === 0 ? '' : `, NOT 4xx: ${odd}`}`,
      )
      const goal = { atMost: 3 }
      show([
        { name: 'p99 of polls', ours: attacked.polls, floor: quiet.polls, unit: 'ms', goal },
        { name: 'p99 of orders', ours: attacked.orders, floor: quiet.orders, unit: 'ms', goal },
      ])
    }
    await broker.end('SIGTERM')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function begin({ url }: BrokerProcess, { connections, text, manner }: Row): Promise<Attack> {
  const running = await attack(url, connections, manner === 'deaf' ? '' : text)
  const sockets = running.attackers.map(({ socket }) => socket)
  if (manner === 'half-open') for (const socket of sockets) socket.end()
  if (manner === 'deaf')
    for (const socket of sockets) {
      socket.pause()
      socket.write(text)
    }
  if (manner !== 'dripping') return running
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(' ')
  }, dripEveryMs)
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      clearInterval(drip)
      await running[Symbol.asyncDispose]()
    },
  }
}

/** The seconds in which code is still being compiled say nothing. */
async function warm(broker: BrokerProcess): Promise<{ readonly operation: string; readonly path: string }> {
  const operation = await orderPretended(broker, 'polled', { ms: -1 })
  const path = `/v2/service_instances/polled/last_operation?operation=${operation}`
  for (let round = 0; round < rounds; round++) await look(broker, path, `warm ${round}`)
  return { operation, path }
}

async function look(
  broker: BrokerProcess,
  path: string,
  name: string,
): Promise<{ readonly polls: number; readonly orders: number }> {
  const polls: number[] = []
  const ordered: number[] = []
  for (let round = 0; round < rounds; round++) {
    polls.push(p99Of(await openLoop(targetOf(broker.url, path), pollsPerSecond, seconds)))
    const times: number[] = []
    for (let i = 0; i < orders; i++) {
      const begun = performance.now()
      await orderPretended(broker, `${name} ${round} ${i}`.replaceAll(/\W/g, '-'), { ms: 1 })
      times.push(performance.now() - begun)
    }
    ordered.push(p99Of(times))
  }
  return { polls: median(polls), orders: median(ordered) }
}

function p99Of(latencies: readonly number[]): number {
  return latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? Number.NaN
}
