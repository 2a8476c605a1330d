/** A broker that is given the copy of its store back: it does nothing on the word of old knowledge until it is told to. */
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, passwords, startTestBroker, type TestBroker } from '../support/broker.ts'

test('a restored store is frozen and its work held back, until it is thawed and released', async () => {
  const folder = newFolder()
  const before = await startTestBroker('', folder)
  const operation = await order(before, 'i1')
  await expect.poll(() => stateOf(before, operation)).toBe('running')
  const { file } = await ask(before, 'POST', '/backups')
  await before.broker.stop()
  for (const end of ['-wal', '-shm']) rmSync(join(folder, 'data', `chandler.db${end}`), { force: true })
  copyFileSync(String(file), join(folder, 'data', 'chandler.db'))

  const after = await startTestBroker('', folder)

  expect(after.logLines.join('')).toContain('store.copy')
  expect(await stateOf(after, operation)).toBe('quarantined')
  expect(await order(after, 'i2')).toMatch(/^429 MaintenanceMode/)
  await ask(after, 'DELETE', '/freeze')
  await ask(after, 'POST', `/operations/${operation}/release`)
  await expect.poll(() => stateOf(after, operation), { timeout: 30_000 }).toBe('succeeded')
  expect(await order(after, 'i2')).toMatch(/^[0-9a-z]{26}$/)
  await after.stop()
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

async function ask(broker: TestBroker, method: string, path: string): Promise<Record<string, unknown>> {
  const authorization = `Basic ${Buffer.from(`admin:${passwords.admin}`).toString('base64')}`
  const answer = await fetch(`${broker.url}/api/v1${path}`, {
    method,
    headers: { Authorization: authorization },
  })
  const text = await answer.text()
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}

async function stateOf(broker: TestBroker, operation: string): Promise<unknown> {
  return (await ask(broker, 'GET', `/operations/${operation}`))['state']
}

/** The operation, or how it was refused. */
async function order(broker: TestBroker, instance: string): Promise<string> {
  const [offer] = broker.broker.catalog().offers
  const answer = await fetch(`${broker.url}/v2/service_instances/${instance}?accepts_incomplete=true`, {
    method: 'PUT',
    headers: {
      Authorization: `Basic ${Buffer.from(`platform:${passwords.platform}`).toString('base64')}`,
      'X-Broker-API-Version': '2.17',
    },
    body: JSON.stringify({
      service_id: offer?.service.id,
      plan_id: offer?.plan.id,
      organization_guid: 'o',
      space_guid: 's',
      parameters: { sim: { create: { ms: 3000 } } },
    }),
  })
  const body = (await answer.json()) as { readonly operation?: string; readonly error?: string }
  return answer.status === 202 ? String(body.operation) : `${answer.status} ${body.error}`
}
