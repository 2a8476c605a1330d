/** An operator ends any operation within seconds: one whose program never ends, one that waits, one whose node is away. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Operation } from '../../src/api/operation.ts'
import type { AuditRecord } from '../../src/store/store.ts'
import { ask } from '../support/ask.ts'
import {
  accounts,
  type BrokerProcess,
  orderPretended,
  slowOffer,
  startBrokerProcess,
} from '../support/broker-process.ts'
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { noteStarts } from '../support/sim-starts.ts'

const patiently = { timeout: 300_000 }

describe.each(['sqlite', 'postgres'] as const)('%s', (kind) => {
  describe.skipIf(kind === 'postgres' && 'missing' in findPostgres())('with its database', () => {
    let server: PostgresServer | undefined
    beforeAll(async () => {
      if (kind === 'postgres') server = await startPostgres()
    })
    afterAll(() => server?.stop())

    test('a program that never ends is stopped, and its operation ends as cancelled', async () => {
      const { broker, starts } = await begin()
      const id = await orderPretended(broker, 'endless', { ms: -1 })
      await expect.poll(() => stateOf(broker, id), patiently).toBe('running')

      const { code, stdout } = await command(broker, 'operation', 'cancel', id, '--force', '-o', 'json')

      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ cancelRequestedAt: expect.any(String) })
      await expect.poll(() => stateOf(broker, id), patiently).toBe('cancelled')
      expect(starts(id)).toHaveLength(1)
      expect(await auditOf(broker, id)).toContainEqual(
        expect.objectContaining({ action: 'operation.force-end', actor: { kind: 'user', id: 'operator' } }),
      )
      expect(await pollOf(broker, 'endless')).toMatchObject({ state: 'failed' })
    })

    test('what waits for its claim, and what waits for another, ends without any worker', async () => {
      const { broker, starts } = await begin({ CHANDLER_OPERATIONS_CONCURRENCY: '1' })
      const running = await orderPretended(broker, 'running', { ms: -1 })
      await expect.poll(() => stateOf(broker, running), patiently).toBe('running')
      const waiting = await orderPretended(broker, 'waiting', { ms: 0 })
      const answer = await ask(
        broker,
        `/v2/service_instances/waiting?accepts_incomplete=true&${new URLSearchParams(slowOffer)}`,
        { as: accounts.platform, method: 'DELETE' },
      )
      const { operation: deleting } = (await answer.json()) as { operation: string }

      const both = await Promise.all([waiting, deleting].map((id) => forceEnd(broker, id)))

      expect(both).toEqual([0, 0])
      for (const id of [waiting, deleting])
        await expect.poll(() => stateOf(broker, id), patiently).toBe('cancelled')
      expect(starts(waiting)).toEqual([])
      await forceEnd(broker, running)
      await expect.poll(() => stateOf(broker, running), patiently).toBe('cancelled')
    })

    test.skipIf(kind === 'sqlite')(
      'what a node holds that is away ends by another, and when it wakes it changes nothing',
      async () => {
        const away = await begin({ CHANDLER_NODE_NAME: 'away' })
        const id = await orderPretended(away.broker, 'held', { ms: -1 })
        await expect.poll(() => stateOf(away.broker, id), patiently).toBe('running')
        const there = await start(away, 'there')
        process.kill(away.broker.pid, 'SIGSTOP')
        onTestFinished(() => void process.kill(away.broker.pid, 'SIGCONT'))

        expect(await forceEnd(there, id)).toBe(0)

        await expect.poll(() => stateOf(there, id), patiently).toBe('cancelled')
        process.kill(away.broker.pid, 'SIGCONT')
        await expect.poll(() => away.broker.said(), patiently).toContain('lease')
        expect(await stateOf(there, id)).toBe('cancelled')
        expect(away.starts(id)).toHaveLength(1)
      },
      180_000,
    )

    async function begin(environment: Readonly<Record<string, string>> = {}) {
      const dataDir = mkdtempSync(join(tmpdir(), 'chandler-forced-'))
      onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
      const store = server === undefined ? 'sqlite' : await server.database()
      const place = { dataDir, store, starts: noteStarts(dataDir), environment }
      return { ...place, broker: await start(place, 'first') }
    }
  })
})

async function start(
  place: {
    readonly dataDir: string
    readonly store: string
    readonly environment: Readonly<Record<string, string>>
  },
  name: string,
): Promise<BrokerProcess> {
  const environment = { CHANDLER_NODE_NAME: name, CHANDLER_OPERATIONS_LEASE: '1h', ...place.environment }
  const broker = await startBrokerProcess({ ...place, environment })
  onTestFinished(async () => void (await broker.end('SIGKILL')))
  return broker
}

async function forceEnd(broker: BrokerProcess, id: string): Promise<number | null> {
  return (await command(broker, 'operation', 'cancel', id, '--force')).code
}

/** The command line, as the operator uses it. */
function command(
  broker: BrokerProcess,
  ...words: readonly string[]
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, ['bin/chandler.mjs', ...words], {
    env: {
      PATH,
      HOME,
      CHANDLER_SERVER: broker.url,
      CHANDLER_USER: 'operator',
      CHANDLER_PASSWORD: 'conformance-of-operators',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.on('data', (bytes) => {
    stdout += bytes
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout })))
}

async function stateOf(broker: BrokerProcess, id: string): Promise<Operation['state']> {
  return ((await look(broker, `/operations/${id}`)) as Operation).state
}

async function auditOf(broker: BrokerProcess, id: string): Promise<readonly AuditRecord[]> {
  const { items } = (await look(broker, '/audit?limit=500')) as { items: readonly AuditRecord[] }
  return items.filter(({ object }) => object.id === id)
}

async function look(broker: BrokerProcess, path: string): Promise<unknown> {
  return (await ask(broker, `/api/v1${path}`, { as: accounts.operator })).json()
}

async function pollOf(broker: BrokerProcess, instance: string): Promise<unknown> {
  const answer = await ask(broker, `/v2/service_instances/${instance}/last_operation`, {
    as: accounts.platform,
  })
  return answer.json()
}
