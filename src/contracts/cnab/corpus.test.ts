/** The corpus: our own tables always, those taken over from the specification where they are at hand. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shared, tables, topic } from '../../../test/corpus/topics/cnab.ts'

const own = 'test/corpus/cnab/cases'

async function failures(file: string): Promise<readonly unknown[]> {
  const failed: unknown[] = []
  for await (const verdict of topic.run([file], new Map()))
    if (verdict.outcome === 'failed') failed.push(verdict)
  return failed
}

test.each(readdirSync(own))('our table %s holds', async (name) => {
  expect(await failures(join(own, name))).toEqual([])
})

test.skipIf(!existsSync(shared)).each(Object.keys(tables))('the table %s holds', async (name) => {
  expect(await failures(join(shared, 'cases', name))).toEqual([])
})
