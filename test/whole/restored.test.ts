/** A broker that is given the copy of its store back: it does nothing on the word of old knowledge until it is told to. */
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { basic, newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'
import { pretendedOrder } from '../support/broker-process.ts'

test('a restored store is frozen and its work held back, until it is thawed and released', async () => {
  const folder = newFolder()
  const before = await startTestBroker('', folder)
  const operation = await order(before, 'i1')
  await expect.poll(() => stateOf(before, operation)).toBe('running')
  const { file } = await operator(before, 'POST', '/backups')
  await before.broker.stop()
  for (const end of ['-wal', '-shm']) rmSync(join(folder, 'data', `chandler.db${end}`), { force: true })
  copyFileSync(String(file), join(folder, 'data', 'chandler.db'))

  const after = await startTestBroker('', folder)

  expect(after.logLines.join('')).toContain('store.copy')
  expect(await stateOf(after, operation)).toBe('quarantined')
  expect(await order(after, 'i2')).toMatch(/^429 MaintenanceMode/)
  await operator(after, 'DELETE', '/freeze')
  await operator(after, 'POST', `/operations/${operation}/release`)
  await expect.poll(() => stateOf(after, operation)).toBe('succeeded')
  expect(await order(after, 'i2')).toMatch(/^[0-9a-z]{26}$/)
  await after.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function operator(broker: TestBroker, method: string, path: string): Promise<Record<string, unknown>> {
  const answer = await ask(broker, `/api/v1${path}`, { as: basic('admin'), method })
  return JSON.parse((await answer.text()) || '{}') as Record<string, unknown>
}

async function stateOf(broker: TestBroker, operation: string): Promise<unknown> {
  return (await operator(broker, 'GET', `/operations/${operation}`))['state']
}

/** The operation, or how it was refused. */
async function order(broker: TestBroker, instance: string): Promise<string> {
  const [offer] = broker.broker.catalog().offers
  const ids = { service_id: offer?.service.id ?? '', plan_id: offer?.plan.id ?? '' }
  const answer = await ask(broker, `/v2/service_instances/${instance}?accepts_incomplete=true`, {
    as: basic('platform'),
    method: 'PUT',
    body: pretendedOrder({ ms: 3000 }, ids),
  })
  const body = (await answer.json()) as { readonly operation?: string; readonly error?: string }
  return answer.status === 202 ? String(body.operation) : `${answer.status} ${body.error}`
}
