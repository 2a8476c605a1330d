/** A broker that is killed again and again: on SQLite its work is taken up at once, and a healthy run is not held back. */
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { newFolder } from '../support/broker.ts'
import { accounts, orderPretended, startBrokerProcess } from '../support/broker-process.ts'

test('five kills with a lease of ten minutes: the run is followed at once each time, and ends well', async () => {
  const dataDir = newFolder()
  const place = {
    dataDir,
    environment: { CHANDLER_OPERATIONS_LEASE: '10m', CHANDLER_OPERATIONS_HEARTBEAT: '1m' },
  }
  let broker = await startBrokerProcess(place)
  const operation = await orderPretended(broker, 'i1', { ms: 20_000 })
  const detail = async () => {
    const answer = await ask(broker, `/api/v1/operations/${operation}`, { as: accounts.operator })
    return (await answer.json()) as {
      readonly state: string
      readonly history?: readonly { readonly reason: string }[]
    }
  }
  const state = async () => (await detail()).state
  await expect.poll(state).toBe('running')
  for (let kill = 0; kill < 5; kill++) {
    await broker.end('SIGKILL')
    broker = await startBrokerProcess(place)
    // It has been claimed anew, and was found alive, before the next kill.
    const found = async () => JSON.stringify(await detail()).split('was found and goes on').length - 1
    await expect.poll(async () => (await state()) === 'succeeded' || (await found()) > kill).toBe(true)
  }

  await expect.poll(state).toBe('succeeded')
  expect(await broker.end('SIGTERM')).toBe(0)
  rmSync(dataDir, { recursive: true, force: true })
}, 900_000)
