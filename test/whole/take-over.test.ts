/** A process that takes over: whoever was there before has no say any more, though it lives and holds a long lease. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Operation } from '../../src/api/operation.ts'
import { accounts, type BrokerProcess, startBrokerProcess } from '../support/broker-process.ts'
import { findPostgres, startPostgres } from '../support/postgres.ts'

test.skipIf('missing' in findPostgres())(
  'who takes over ends what another one still holds, and that one claims nothing more',
  async () => {
    const server = await startPostgres()
    const dataDir = mkdtempSync(join(tmpdir(), 'chandler-take-over-'))
    const starts = join(dataDir, 'sim', 'starts.log')
    mkdirSync(join(dataDir, 'sim'), { mode: 0o700 })
    writeFileSync(starts, '')
    const store = await server.database()
    const begin = (name: string, ...options: readonly string[]) =>
      startBrokerProcess({
        ...{ dataDir, store, options },
        environment: {
          CHANDLER_NODE_NAME: name,
          CHANDLER_OPERATIONS_LEASE: '1h',
          CHANDLER_OPERATIONS_HEARTBEAT: '10m',
        },
      })
    const before = await begin('before')
    const held = await order(before, 'i1', 3000)
    await expect.poll(() => operation(before, held)).toMatchObject({ state: 'running', node: 'before' })

    const after = await begin('after', '--take-over')

    await expect.poll(() => operation(after, held), { timeout: 30_000 }).toMatchObject({ state: 'succeeded' })
    const next = await order(before, 'i2', 0)
    await expect.poll(() => operation(after, next), { timeout: 30_000 }).toMatchObject({ state: 'succeeded' })
    const history = await ask(after, `/operations/${held}/history`)
    expect(history['items']).toContainEqual(expect.objectContaining({ node: 'after', state: 'succeeded' }))
    expect(
      readFileSync(starts, 'utf8')
        .split('\n')
        .filter((line) => line.includes(held)),
    ).toHaveLength(1)
    for (const broker of [before, after]) await broker.end('SIGKILL')
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  },
  120_000,
)

async function ask({ url }: BrokerProcess, path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/api/v1${path}`, { headers: { Authorization: accounts.operator } })
  return (await answer.json()) as Record<string, unknown>
}

async function operation(broker: BrokerProcess, id: string): Promise<Pick<Operation, 'state' | 'node'>> {
  const { state, node } = await ask(broker, `/operations/${id}`)
  return { state, node } as Pick<Operation, 'state' | 'node'>
}

async function order({ url }: BrokerProcess, instance: string, ms: number): Promise<string> {
  const answer = await fetch(`${url}/v2/service_instances/${instance}?accepts_incomplete=true`, {
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
