/** A process that takes over: the process before it has no say any more, though it lives and holds a long lease. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Operation } from '../../src/api/operation.ts'
import { ask } from '../support/ask.ts'
import {
  accounts,
  type BrokerProcess,
  orderPretended,
  startBrokerProcess,
} from '../support/broker-process.ts'
import { findPostgres, startPostgres } from '../support/postgres.ts'
import { noteStarts } from '../support/sim-starts.ts'

test.skipIf('missing' in findPostgres())(
  'who takes over ends what another one still holds, and that one claims nothing more',
  async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const dataDir = mkdtempSync(join(tmpdir(), 'chandler-take-over-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const starts = noteStarts(dataDir)
    const store = await server.database()
    const begin = async (name: string, ...options: readonly string[]) => {
      const environment = {
        CHANDLER_NODE_NAME: name,
        CHANDLER_OPERATIONS_LEASE: '1h',
        CHANDLER_OPERATIONS_HEARTBEAT: '10m',
      }
      const broker = await startBrokerProcess({ dataDir, store, options, environment })
      onTestFinished(async () => void (await broker.end('SIGKILL')))
      return broker
    }
    const before = await begin('before')
    // Longer than a start takes on a machine that is busy.
    const held = await orderPretended(before, 'i1', { ms: 12_000 })
    await expect.poll(() => operation(before, held)).toMatchObject({ state: 'running', node: 'before' })

    const after = await begin('after', '--take-over')

    await expect.poll(() => operation(after, held)).toMatchObject({ state: 'succeeded' })
    const next = await orderPretended(before, 'i2', { ms: 0 })
    await expect.poll(() => operation(after, next)).toMatchObject({ state: 'succeeded' })
    const history = await look(after, `/operations/${held}/history`)
    expect(history['items']).toContainEqual(expect.objectContaining({ node: 'after', state: 'succeeded' }))
    expect(starts(held)).toHaveLength(1)
  },
  120_000,
)

async function look(broker: BrokerProcess, path: string): Promise<Record<string, unknown>> {
  const answer = await ask(broker, `/api/v1${path}`, { as: accounts.operator })
  return (await answer.json()) as Record<string, unknown>
}

async function operation(broker: BrokerProcess, id: string): Promise<Pick<Operation, 'state' | 'node'>> {
  const { state, node } = await look(broker, `/operations/${id}`)
  return { state, node } as Pick<Operation, 'state' | 'node'>
}
