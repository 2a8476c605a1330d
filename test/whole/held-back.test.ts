/** Operations that are held back because their claims came to nothing: released or cancelled, never started twice. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Operation } from '../../src/api/operation.ts'
import { ask } from '../support/ask.ts'
import {
  accounts,
  type BrokerProcess,
  orderPretended,
  startBrokerProcess,
} from '../support/broker-process.ts'
import { noteStarts } from '../support/sim-starts.ts'

const patientlyMs = 60_000

test('what was held back in the midst of its run goes on when it is released, and ends when it is cancelled', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'chandler-held-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const starts = noteStarts(dataDir)
  let broker = await start(dataDir, 'life-1')
  const released = await orderPretended(broker, 'released', { ms: 12_000 })
  const cancelled = await orderPretended(broker, 'cancelled', { ms: 3_600_000 })

  await Promise.all([released, cancelled].map((id) => isWorkedOn(broker, id, 'life-1')))
  await broker.end('SIGKILL')
  strike(dataDir)
  broker = await start(dataDir, 'life-2')
  await Promise.all(
    [released, cancelled].map((id) => until(broker, id, ({ state }) => state === 'quarantined')),
  )
  await operator(broker, `/operations/${released}/release`, 'POST')
  await operator(broker, `/operations/${cancelled}/cancel`, 'POST')

  const ended = ({ finishedAt }: Operation): boolean => finishedAt !== undefined
  expect((await until(broker, released, ended)).state).toBe('succeeded')
  expect((await until(broker, cancelled, ended)).state).toBe('cancelled')
  expect(starts()).toHaveLength(2)
})

/** As four claims would leave the rows that each ended before their owner had looked at the run: no test can time such deaths. */
function strike(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, 'chandler.db'))
  database.exec('UPDATE operations SET strikes = 4')
  database.close()
}

async function start(dataDir: string, name: string): Promise<BrokerProcess> {
  const environment = {
    CHANDLER_NODE_NAME: name,
    CHANDLER_OPERATIONS_LEASE: '1s',
    CHANDLER_OPERATIONS_HEARTBEAT: '300ms',
  }
  const broker = await startBrokerProcess({ dataDir, environment })
  onTestFinished(async () => void (await broker.end('SIGKILL')))
  return broker
}

/** Its program runs, and this life of the broker has claimed it. */
function isWorkedOn(broker: BrokerProcess, id: string, node: string): Promise<Operation> {
  return until(broker, id, (one) => one.startedAt !== undefined && one.node === node)
}

async function until(
  broker: BrokerProcess,
  id: string,
  holds: (operation: Operation) => boolean,
): Promise<Operation> {
  for (const begun = performance.now(); ; await pause(20)) {
    const operation = (await (await operator(broker, `/operations/${id}`)).json()) as Operation
    if (holds(operation)) return operation
    if (performance.now() - begun > patientlyMs) throw new Error(`not in time: ${JSON.stringify(operation)}`)
  }
}

function operator(broker: BrokerProcess, path: string, method = 'GET'): Promise<Response> {
  return ask(broker, `/api/v1${path}`, { as: accounts.operator, method })
}
