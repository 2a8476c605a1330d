/** A configuration that is read again: the catalog changes whole, or not at all. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemChance } from '../../src/kit/clock.ts'
import { loadSettings } from '../../src/settings/load.ts'
import { addKey } from '../../src/store/keys.ts'
import { newFolder, passwords, startTestBroker } from '../support/broker.ts'
import { codeOf } from '../support/problems.ts'

test('a reload offers what the configuration says now, and refuses a catalog with faults whole', async () => {
  const folder = newFolder()
  const running = await startTestBroker('', folder)
  const file = join(folder, 'chandler.yml')
  const text = readFileSync(file, 'utf8')
  const reload = (more: string) => {
    writeFileSync(file, text.replace(/^catalog:\n/m, `catalog:\n${more}`))
    const loaded = loadSettings({ environment: {}, folder, file })
    return loaded.kind === 'settings' ? running.broker.reload(loaded.settings) : Promise.reject(loaded)
  }
  const services = () => [...new Set(running.broker.catalog().offers.map(({ service }) => service.name))]
  const before = services()

  const { taken } = await reload('  - package: sim:fresh\n')
  const after = services()
  const refused = await codeOf(reload('  - package: sim:fresh\n  - package: sim:fresh\n'))

  expect(taken).toEqual(['catalog'])
  expect(after).toEqual(['fresh', ...before])
  expect([refused, services()]).toEqual(['catalog.refused', after])
  await running.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a key ring that somebody else changed is taken up while running', async () => {
  const running = await startTestBroker()
  const credentials = Buffer.from(`admin:${passwords.admin}`).toString('base64')
  const active = async (): Promise<unknown> => {
    const answer = await fetch(`${running.url}/api/v1/keys`, {
      headers: { Authorization: `Basic ${credentials}` },
    })
    return ((await answer.json()) as { readonly active: string }).active
  }
  const before = await active()

  const added = addKey(join(running.folder, 'data', 'keys.json'), systemChance)

  expect(added).not.toBe(before)
  await expect.poll(active, { timeout: 30_000 }).toBe(added)
  await running.stop()
  rmSync(running.folder, { recursive: true, force: true })
}, 60_000)
