/** A configuration that is read again: the catalog changes whole, or not at all. */
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { basic, newFolder, startTestBroker } from '../support/broker.ts'
import { codeOf } from '../support/problems.ts'

test('a reload offers what the configuration says now, and refuses a catalog with faults whole', async () => {
  const folder = newFolder()
  const running = await startTestBroker('', folder)
  const onceMore = (text: string) => text.replace(/^catalog:\n/m, 'catalog:\n  - package: sim:fresh\n')
  const services = () => [...new Set(running.broker.catalog().offers.map(({ service }) => service.name))]
  const before = services()

  const { taken } = await running.reload(onceMore)
  const after = services()
  const refused = await codeOf(running.reload(onceMore))

  expect(taken).toEqual(['catalog'])
  expect(after).toEqual(['fresh', ...before])
  expect([refused, services()]).toEqual(['catalog.refused', after])
  await running.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('proxies that are trusted from now on tell who is behind them', async () => {
  const running = await startTestBroker()
  const frozenFrom = async (): Promise<unknown> => {
    await fetch(`${running.url}/api/v1/freeze`, {
      method: 'DELETE',
      headers: { Authorization: basic('admin'), 'X-Forwarded-For': '203.0.113.7' },
    })
    const answer = await ask(running, '/api/v1/audit', { as: basic('admin') })
    const { items } = (await answer.json()) as { readonly items: readonly { readonly source?: string }[] }
    return items.at(-1)?.source
  }
  const before = await frozenFrom()

  const { taken } = await running.reload((text) =>
    text.replace("adminListen: '127.0.0.1:0'", "adminListen: '127.0.0.1:0', trustedProxies: [127.0.0.1]"),
  )
  const after = await frozenFrom()
  const refused = await codeOf(
    running.reload((text) => text.replace('[127.0.0.1]', '[nowhere], bodyLimit: 2MiB')),
  )

  expect(taken).toEqual(['http.trustedProxies'])
  expect([before, after]).toEqual(['127.0.0.1', '203.0.113.7'])
  expect([refused, await frozenFrom()]).toEqual(['settings.invalid', '203.0.113.7'])
  await running.stop()
  rmSync(running.folder, { recursive: true, force: true })
})

test('what needs a restart is named by every reload until it is as it was', async () => {
  const running = await startTestBroker()
  const raised = await running.reload((text) => `${text}operations: {lease: 20s}\n`)
  const again = await running.reload()
  const back = await running.reload((text) => text.replace('operations: {lease: 20s}\n', ''))
  await running.stop()

  expect([raised, again, back].map(({ waiting }) => waiting)).toEqual([
    ['operations.lease'],
    ['operations.lease'],
    [],
  ])
})

test('room for more work and another quota count from the reload on', async () => {
  const narrow =
    'operations: {concurrency: 1, deadline: {provision: 1h}}\nquotas: {instancesPerPlatform: 2}\n'
  const wide = 'operations: {concurrency: 2, deadline: {provision: 3h}}\nquotas: {instancesPerPlatform: 3}\n'
  const running = await startTestBroker(narrow)
  const order = async (id: string): Promise<number> => {
    const body = { service: 'alpha-db', plan: 'small', id, parameters: { sim: { create: { ms: -1 } } } }
    const answer = await ask(running, '/api/v1/instances', { as: basic('admin'), method: 'POST', body })
    await answer.body?.cancel()
    return answer.status
  }
  const underWay = async () => (await running.broker.snapshot())['running']
  const before = [await order('i1'), await order('i2'), await order('i3')]
  await expect.poll(underWay).toBe(1)

  const { taken, waiting } = await running.reload((text) => text.replace(narrow, wide))
  await expect.poll(underWay).toBe(2)
  const after = [await order('i3'), await order('i4')]

  expect(before).toEqual([202, 202, 403])
  expect(after).toEqual([202, 403])
  expect(taken.toSorted()).toEqual([
    'operations.concurrency',
    'operations.deadline.provision',
    'quotas.instancesPerPlatform',
  ])
  expect(waiting).toEqual([])
  await running.stop()
  rmSync(running.folder, { recursive: true, force: true })
})

test('start, reload and end of a process are in the audit trail', async () => {
  const folder = newFolder()
  const first = await startTestBroker('', folder)
  await first.reload()
  await first.broker.stop()
  const second = await startTestBroker('', folder)
  const answer = await ask(second, '/api/v1/audit', { as: basic('admin') })
  const { items } = (await answer.json()) as {
    readonly items: readonly { readonly action: string; readonly actor: { readonly kind: string } }[]
  }
  await second.stop()

  expect(items.map(({ actor, action }) => `${actor.kind} ${action}`)).toEqual([
    'system broker.start',
    'system config.reload',
    'system broker.stop',
    'system broker.start',
  ])
})
