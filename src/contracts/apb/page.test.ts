/** What the page for operators shows is what the contract takes. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { packageOf } from '../../../test/apb/stage.ts'
import type { JsonObject } from '../../kit/json.ts'
import { readYaml } from '../../kit/yaml.ts'
import { faultsOfOptions } from './options.ts'

const page = readFileSync('docs/contracts/apb.md', 'utf8')

test('the entry of the catalog names options that there are', async () => {
  const [, block = ''] = /```yaml\n(.*?)```/s.exec(page) ?? []
  const { catalog } = readYaml(block).value as {
    readonly catalog: readonly [{ readonly options: JsonObject }]
  }
  const spec = 'version: 1.0\nname: postgresql-apb\nplans: [{name: default}]'
  const [service] = (await packageOf(spec, catalog[0].options)).services

  expect(faultsOfOptions(catalog[0].options)).toEqual([])
  expect(service?.id).toBe('1dda1477cace09730bd8ed7a6505607e')
})

test('every option of the table is taken, and none is missing', () => {
  const [, section = ''] = /^## Offer a bundle\n(.*?)^## /ms.exec(page) ?? []
  const rows = section.split('\n').filter((line) => /^\| `/.test(line) && line.split('|').length === 5)
  const named = rows.flatMap((line) =>
    [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  )
  const given = Object.fromEntries(named.map((name) => [name, null]))
  const unknown = faultsOfOptions(given).filter(({ detail }) => /additional/.test(detail ?? ''))

  expect(unknown).toEqual([])
  expect(named).toHaveLength(21)
})
