/** A configuration that is read again: the catalog changes whole, or not at all. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemChance } from '../../src/kit/clock.ts'
import { addKey } from '../../src/store/keys.ts'
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

test('a key ring that somebody else changed is taken up while running', async () => {
  const running = await startTestBroker()
  const active = async (): Promise<unknown> => {
    const answer = await ask(running, '/api/v1/keys', { as: basic('admin') })
    return ((await answer.json()) as { readonly active: string }).active
  }
  const before = await active()

  const added = addKey(join(running.folder, 'data', 'keys.json'), systemChance)

  expect(added).not.toBe(before)
  await expect.poll(active, { timeout: 30_000 }).toBe(added)
  await running.stop()
  rmSync(running.folder, { recursive: true, force: true })
}, 60_000)
