/** Paks as they are shipped: engine and provider inside the archive, versions side by side, and archives of any size. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { newFolder, startTestBroker } from '../support/broker.ts'
import { Customer, layOutPak, offering, providerInTheClear } from './offline.ts'
import { flagAsLinks, layOutTools, pack } from './packed.ts'
import { memoryOfThread, watchProcesses } from './processes.ts'

const engine = hostEngine() ?? ''
const instance = '0a0b0c0d-1111-4222-8333-444455556601'

describe.skipIf(engine === '')('with the engine of this machine packed (needs terraform or tofu)', () => {
  let home: string
  let version: string
  beforeAll(() => {
    home = newFolder()
    const said = spawnSync(engine, ['version']).stdout.toString()
    version = /v(\d+\.\d+\.\d+)/.exec(said)?.[1] ?? ''
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  /** The pak of the corpus with both programs in its archive, flagged as csb flags them. */
  async function makePak(): Promise<string> {
    const source = layOutTools(join(home, 'packed'), engine, 'tofu')
    const manifest = join(source, 'manifest.yml')
    const text = readFileSync(manifest, 'utf8').replace('version: 1.11.4', `version: ${version}`)
    writeFileSync(manifest, text)
    return flagAsLinks(await pack(source, join(home, 'packed')))
  }

  test('a life is led with nothing of the host', async () => {
    const pak = await makePak()
    const before = process.env['PATH']
    const at = await startTestBroker('', newFolder(), offering(pak, undefined, providerInTheClear))
    // The broker's own programs are found elsewhere; an engine on the path would hide a mistake.
    process.env['PATH'] = '/usr/sbin:/usr/bin:/sbin:/bin'
    try {
      const customer = new Customer(at, 'offline-password')
      const made = await customer.take({ op: 'provision', instance, plan: 'only', expect: {} })
      const grown = await customer.take({ op: 'update', instance, params: { length: 14 }, expect: {} })
      const bound = await customer.take({ op: 'bind', instance, binding: 'b', expect: {} })
      const unbound = await customer.take({ op: 'unbind', instance, binding: 'b', expect: {} })
      const gone = await customer.take({ op: 'deprovision', instance, expect: {} })
      const other = await customer.take({
        op: 'provision',
        instance: `${instance}2`,
        plan: 'only',
        expect: {},
      })

      expect(
        [made, grown, bound, unbound, gone, other].map(
          ({ state, said }) => `${state} ${state === 'succeeded' ? '' : said}`,
        ),
      ).toEqual(Array(6).fill('succeeded '))
      expect(made.outputs).toEqual({ name: expect.stringMatching(/^[a-z0-9]{10}$/) })
      expect(grown.outputs).toEqual({ name: expect.stringMatching(/^[a-z0-9]{14}$/) })
    } finally {
      process.env['PATH'] = before
      await at.stop()
    }
  })

  test('a pak of half a gigabyte is offered by a broker that never holds it', async () => {
    const source = layOutPak('csb-suite', join(home, 'large'))
    mkdirSync(join(source, 'tools'))
    writeFileSync(join(source, 'tools/tofu'), '#!/bin/sh\n')
    spawnSync('dd', ['if=/dev/urandom', `of=${join(source, 'tools/ballast')}`, 'bs=1M', 'count=500'])
    const manifest = join(source, 'manifest.yml')
    const extra = '- {name: ballast, version: 1.0.0, url_template: ./tools/ballast}\nenv_config_mapping'
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('env_config_mapping', extra))
    const watched = watchProcesses('none')
    const before = memoryOfThread()
    const file = await pack(source, home)
    const at = await startTestBroker('', newFolder(), offering(file))
    try {
      const offered = await new Customer(at, 'offline-lifecycle').offered()

      expect(offered.plans.map(({ name }) => name)).toEqual(['basic', 'plus'])
    } finally {
      await at.stop()
    }
    expect(watched.stop().ours - before).toBeLessThan(250 * 1024 * 1024)
  })
})
