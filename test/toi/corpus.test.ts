import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { own, shared, topic } from '../corpus/topics/toi.ts'

describe.each([own, shared])('the tables of %s', (home) => {
  test.skipIf(!existsSync(home))('hold', async () => {
    const verdicts = []
    for await (const one of topic.run([home], new Map())) verdicts.push(one)

    expect(verdicts.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
    expect(verdicts.length).toBeGreaterThan(10)
  })
})
