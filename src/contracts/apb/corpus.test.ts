/** The corpus: real bundles, and tables of what the original broker makes of small ones, where they are at hand. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isHere, shared, topic } from '../../../test/corpus/topics/apb.ts'

const judged = ['actions', 'catalog', 'labels', 'k8s-api']
const tables = [
  'ids',
  'image-labels',
  'schema-dependencies',
  'spec-parsing',
  'secrets',
  'proxy',
  'pod-spec',
  'watch',
  'dashboard',
]

if (!isHere) console.log(`skipped: ${shared} is not here`)

test.skipIf(!isHere).each([...judged, ...tables.map((name) => `cases/${name}.json`)])(
  '%s means the same here',
  async (name) => {
    const failed: string[] = []
    let passed = 0
    for await (const verdict of topic.run([join(shared, name)], new Map())) {
      if (verdict.outcome === 'passed') passed++
      if (verdict.outcome === 'failed') failed.push(`${verdict.name}: ${verdict.why}`)
    }

    expect(failed).toEqual([])
    expect(passed).toBeGreaterThan(0)
  },
)
