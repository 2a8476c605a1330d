/** Operations that brokers died over again and again: held back, and then released or cancelled, never started twice. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Operation } from '../../src/api/operation.ts'
import { accounts, type BrokerProcess, startBrokerProcess } from '../support/broker-process.ts'

const patientlyMs = 60_000

test('what was held back in the midst of its run goes on when it is released, and ends when it is cancelled', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'chandler-held-'))
  const starts = join(dataDir, 'sim', 'starts.log')
  mkdirSync(join(dataDir, 'sim'), { mode: 0o700 })
  writeFileSync(starts, '')
  let broker = await start(dataDir, 'life-1')
  const released = await order(broker, 'released', 12_000)
  const cancelled = await order(broker, 'cancelled', 3_600_000)

  for (let life = 1; life <= 4; life++) {
    await Promise.all([released, cancelled].map((id) => isWorkedOn(broker, id, `life-${life}`)))
    await broker.end('SIGKILL')
    broker = await start(dataDir, `life-${life + 1}`)
  }
  await Promise.all(
    [released, cancelled].map((id) => until(broker, id, ({ state }) => state === 'quarantined')),
  )
  await ask(broker, `/operations/${released}/release`, 'POST')
  await ask(broker, `/operations/${cancelled}/cancel`, 'POST')

  const ended = ({ finishedAt }: Operation): boolean => finishedAt !== undefined
  expect((await until(broker, released, ended)).state).toBe('succeeded')
  expect((await until(broker, cancelled, ended)).state).toBe('cancelled')
  expect(readFileSync(starts, 'utf8').split('\n').filter(Boolean)).toHaveLength(2)
  await broker.end('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
}, 180_000)

function start(dataDir: string, name: string): Promise<BrokerProcess> {
  const environment = {
    CHANDLER_NODE_NAME: name,
    CHANDLER_OPERATIONS_LEASE: '1s',
    CHANDLER_OPERATIONS_HEARTBEAT: '300ms',
  }
  return startBrokerProcess({ dataDir, environment })
}

async function order(broker: BrokerProcess, instance: string, ms: number): Promise<string> {
  const answer = await fetch(`${broker.url}/v2/service_instances/${instance}?accepts_incomplete=true`, {
    method: 'PUT',
    headers: { Authorization: accounts.platform, 'X-Broker-API-Version': '2.17' },
    body: JSON.stringify({
      service_id: '27972921-2b8d-494d-ba32-f8c688ccafc9',
      plan_id: '1d843d93-86d2-41b8-86c1-4e0349a3e670',
      organization_guid: 'o',
      space_guid: 's',
      parameters: { sim: { create: { ms } } },
    }),
  })
  return ((await answer.json()) as { readonly operation: string }).operation
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
    const operation = (await (await ask(broker, `/operations/${id}`)).json()) as Operation
    if (holds(operation)) return operation
    if (performance.now() - begun > patientlyMs) throw new Error(`not in time: ${JSON.stringify(operation)}`)
  }
}

function ask({ url }: BrokerProcess, path: string, method = 'GET'): Promise<Response> {
  return fetch(`${url}/api/v1${path}`, { method, headers: { Authorization: accounts.operator } })
}
