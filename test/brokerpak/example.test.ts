/** The brokerpak that `npm start` offers: it lives where there is an engine, and says what is missing where there is none. */
import { readFileSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readYaml } from '../../src/kit/yaml.ts'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { ask } from '../support/ask.ts'
import { basic, newFolder, startTestBroker } from '../support/broker.ts'
import { installedProgram } from '../support/installed.ts'
import { chandler } from './command.ts'
import { Customer } from './offline.ts'

const instance = '0a0b0c0d-1111-4222-8333-444455556600'

/** The entry of the example's own settings, beside the catalog that the test broker has. */
function withExample(text: string): string {
  const document = readYaml(readFileSync('examples/chandler.yml', 'utf8')).value as unknown as {
    readonly catalog: readonly { readonly package: string }[]
  }
  const found = document.catalog.find(({ package: reference }) => reference.includes('notebook'))
  const entry = { ...found, package: resolve('examples', found?.package ?? '') }
  return text.replace(/^catalog:$/m, `catalog:\n  - ${JSON.stringify(entry)}`)
}

test.skipIf(hostEngine() === undefined)(
  'a notebook is ordered, enlarged, bound and given up (needs terraform or tofu)',
  async () => {
    const at = await startTestBroker('', newFolder(), withExample)
    try {
      const customer = new Customer(at, 'notebook')
      const made = await customer.take({
        op: 'provision',
        instance,
        plan: 'pocket',
        params: { owner: 'ada' },
        expect: {},
      })
      const grown = await customer.take({
        op: 'update',
        instance,
        plan: 'desk',
        params: { pages: 50 },
        expect: {},
      })
      const bound = await customer.take({
        op: 'bind',
        instance,
        binding: 'b',
        params: { may_write: false },
        expect: {},
      })
      const gone = await customer.take({ op: 'deprovision', instance, expect: {} })

      expect([made, grown, bound, gone].map(({ state }) => state)).toEqual(Array(4).fill('succeeded'))
      expect(grown.said).toBe('update succeeded: Notebook of ada, 50 pages of A4')
      expect(grown.outputs['notebook_id']).toBe(made.outputs['notebook_id'])
      expect(bound.credentials).toMatchObject({ uri: expect.stringMatching(/\?access=read-only$/) })
    } finally {
      await at.stop()
    }
  },
  60_000,
)

test.skipIf(hostEngine() === undefined)(
  'a notebook whose engine has gone is not offered any more, and again when it is back (needs terraform or tofu)',
  async () => {
    const path = process.env['PATH']
    const folder = newFolder()
    const offered: string[] = []
    for (const there of [path, '/nowhere', path]) {
      process.env['PATH'] = there
      const { broker } = await startTestBroker('', folder, withExample)
      process.env['PATH'] = path
      offered.push(broker.catalog().offers.some(({ service }) => service.name === 'notebook') ? 'yes' : 'no')
      await broker.stop()
    }
    rmSync(folder, { recursive: true, force: true })

    expect(offered).toEqual(['yes', 'no', 'yes'])
  },
  60_000,
)

test('without an engine the notebook is not offered, the rest is, and operators see why', async () => {
  const before = process.env['PATH']
  const program = installedProgram()
  process.env['PATH'] = '/nowhere'
  const at = await startTestBroker('', newFolder(), withExample)
  process.env['PATH'] = before
  try {
    const catalog = await (await ask(at, '/v2/catalog', { as: basic('platform') })).text()
    const refused = await (await ask(at, '/api/v1/packages/notebook', { as: basic('admin') })).text()

    expect(catalog).toContain('alpha-db')
    expect(catalog).not.toContain('notebook')
    expect(refused).toContain('"state":"refused"')
    expect(refused).toContain('terraform or tofu is not on the path')
    const cli = (...args: readonly string[]) => chandler({ program, home: at.folder, url: at.url }, args)
    const [list, shown, offered] = [
      await cli('package', 'list'),
      await cli('package', 'show', 'notebook'),
      await cli('catalog'),
    ]
    expect(list.stdout).toMatch(/^notebook .*refused.*terraform or tofu is not on the path/m)
    expect(shown.stdout).toContain('terraform or tofu is not on the path')
    expect(offered.stderr).toMatch(/^not offered: notebook: .*terraform or tofu is not on the path$/m)
  } finally {
    await at.stop()
    rmSync(dirname(dirname(program)), { recursive: true, force: true })
  }
})
