/** Every row of the corpus: our own measurements, and those of the original where they are at hand. */
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { judge, rowsOf } from '../../../test/corpus/topics/hil.ts'

const shared = '../shared/corpus/hil/upstream-cases.jsonl'

describe.each(['test/corpus/hil/differential.jsonl', 'test/corpus/hil/casts.jsonl'])('%s', (path) => {
  test.each(rowsOf(path))('$id holds', (row) => {
    expect(judge(row).why ?? '').toBe('')
  })
})

test.skipIf(!existsSync(shared))('the tables of the original hold', () => {
  const failures = rowsOf(shared)
    .map(judge)
    .filter((verdict) => verdict.outcome === 'failed')

  expect(failures).toEqual([])
})
