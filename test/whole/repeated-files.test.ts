/** Orders that touch files: a repetition after a broker died before it remembered its answer makes nothing twice. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { accounts, type BrokerProcess, startBrokerProcess } from '../support/broker-process.ts'

test('a key, a rotation and a backup are made once, though their answers were lost', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'chandler-repeated-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const paths = ['/keys', '/keys/rotate', '/backups']
  const before = await begin(dataDir)
  const first = []
  for (const path of paths) first.push(await post(before, path, 'mine'))
  expect(first.map(({ status }) => status)).toEqual([201, 202, 201])
  const other = await post(before, '/keys', 'other')
  await before.end('SIGKILL')
  const database = new DatabaseSync(join(dataDir, 'chandler.db'))
  expect(database.prepare('DELETE FROM idempotency').run().changes).toBe(4)
  database.close()
  const after = await begin(dataDir)
  const again = []
  for (const path of paths) again.push(await post(after, path, 'mine'))

  expect(again.map(({ status }) => status)).toEqual([201, 202, 201])
  expect(other.body['keys']).toHaveLength(4)
  expect(again[1]?.body['keys']).toHaveLength(4)
  expect(again[1]?.body['active']).toBe(first[1]?.body['active'])
  expect(again[2]?.body).toEqual(first[2]?.body)
  expect(readdirSync(join(dataDir, 'backups'))).toHaveLength(1)
})

async function begin(dataDir: string): Promise<BrokerProcess> {
  const broker = await startBrokerProcess({ dataDir })
  onTestFinished(async () => void (await broker.end('SIGKILL')))
  return broker
}

/** The paths differ, and so do the keys: one key is for one request. */
async function post(broker: BrokerProcess, path: string, key: string) {
  const answer = await fetch(`${broker.url}/api/v1${path}`, {
    method: 'POST',
    headers: { Authorization: accounts.operator, 'Idempotency-Key': `${key}${path.replaceAll('/', '-')}` },
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
