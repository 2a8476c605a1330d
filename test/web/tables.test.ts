/** The tables of the UI: every call is a route of the operator API, every text is there in each language and names the same things. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operatorRoutes } from '../../src/http/operator/routes.ts'
import { calls } from '../../src/web/calls.ts'
import { accountTexts } from '../../src/web/texts/account.ts'
import { brokerTexts } from '../../src/web/texts/broker.ts'
import { catalogTexts } from '../../src/web/texts/catalog.ts'
import { formTexts } from '../../src/web/texts/forms.ts'
import { homeTexts } from '../../src/web/texts/home.ts'
import { instanceTexts } from '../../src/web/texts/instances.ts'
import { listTexts } from '../../src/web/texts/lists.ts'
import { operationTexts } from '../../src/web/texts/operations.ts'
import { shellTexts } from '../../src/web/texts/shell.ts'
import { stateTexts } from '../../src/web/texts/states.ts'
import { tenantTexts } from '../../src/web/texts/tenants.ts'

const tables = [
  accountTexts,
  brokerTexts,
  catalogTexts,
  formTexts,
  homeTexts,
  instanceTexts,
  listTexts,
  operationTexts,
  shellTexts,
  stateTexts,
  tenantTexts,
]
const rows: readonly (readonly [string, readonly string[]])[] = tables.flatMap((table) =>
  Object.entries(table),
)

test('every call is a route of the operator API', () => {
  const served = operatorRoutes.map(({ method, url }) => `${method} ${url}`)
  const missing = Object.values(calls).filter(({ method, url }) => !served.includes(`${method} ${url}`))
  expect(missing).toEqual([])
})

test('no text has two meanings', () => {
  const names = rows.map(([name]) => name)
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
})

test.each(rows)('%s is there in English and German, and names the same things', (_name, texts) => {
  const [english = '', german = ''] = texts
  const named = (text: string) => [...new Set(text.match(/\{\w+/g) ?? [])].sort()
  expect([english.length > 0, german.length > 0, texts.length]).toEqual([true, true, 2])
  expect(named(german)).toEqual(named(english))
})

test('every text is used', () => {
  const sources = readdirSync('src/web', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.endsWith('texts'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')
  // Keys that are put together begin with what stands before the first brace.
  const beginnings = [...sources.matchAll(/`([\w.-]+\.)\$\{/g)].map(([, beginning = '']) => beginning)
  const unused = rows
    .map(([name]) => name)
    .filter(
      (name) =>
        !sources.includes(`'${name}'`) &&
        !sources.includes(`"${name}"`) &&
        !beginnings.some((one) => name.startsWith(one)),
    )
  expect(unused).toEqual([])
})
