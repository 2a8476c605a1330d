/** Every row of the corpus: our own measurements, and those of the original where they are at hand. */
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { judge, rowsOf } from '../../../test/corpus/topics/hil.ts'

const shared = ['upstream-cases', 'generated'].map((name) => `../shared/corpus/hil/${name}.jsonl`)

describe.each(['test/corpus/hil/differential.jsonl', 'test/corpus/hil/casts.jsonl'])('%s', (path) => {
  test.each(rowsOf(path))('$id holds', (row) => {
    expect(judge(row).why ?? '').toBe('')
  })
})

for (const path of shared)
  test.skipIf(!existsSync(path))(`every row of ${path} holds`, () => {
    const failures = rowsOf(path)
      .map(judge)
      .filter((verdict) => verdict.outcome === 'failed')

    expect(failures).toEqual([])
  })
