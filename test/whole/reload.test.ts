/** A configuration that is read again: the catalog changes whole, or not at all. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSettings } from '../../src/settings/load.ts'
import { newFolder, startTestBroker } from '../support/broker.ts'
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
