/** Every row of the version tables, through the languages and contracts that ask for versions. */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Verdict } from '../topic.ts'
import { topic, versionTables } from '../topics/versions.ts'

test('every table of the folder has a judge, and every judge its table', () => {
  const tables = readdirSync('test/corpus/versions').filter((name) => name.endsWith('.json'))

  expect(tables.sort()).toEqual(Object.keys(versionTables).sort())
})

test.each(Object.keys(versionTables))('every row of %s holds', async (name) => {
  const verdicts: Verdict[] = []
  for await (const one of topic.run([`test/corpus/versions/${name}`], new Map())) verdicts.push(one)

  expect(verdicts.length).toBeGreaterThan(90)
  expect(verdicts.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
})

test('a file that nobody knows is a failure', async () => {
  const verdicts: Verdict[] = []
  for await (const one of topic.run(['package.json'], new Map())) verdicts.push(one)

  expect(verdicts).toEqual([{ name: 'package.json', outcome: 'failed', why: 'no judge knows this file' }])
})
