/** Mistakes in the sources of TOI packages are told with file, line and what to do about them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PathLint } from '../../src/authoring/sources/lint.ts'
import { freshFolder, writeTree } from '../support/image.ts'
import { lintsOf } from '../support/lints.ts'
import { type Files, judged, titleOf, toldFaults, withMistake } from '../support/planted.ts'
import { mistakes, wellMade } from './mistakes.ts'

const home = freshFolder('toi-mistakes')
afterAll(() => rmSync(home, { recursive: true, force: true }))

const doubtful: Files = {
  ...wellMade,
  'package.yaml': wellMade['package.yaml'].replace('configScheme', 'configSchema'),
}
const lints = new Map<unknown, PathLint>()

/** What the lint says of sources, by the door that authors have. */
function toldOf(sources: unknown) {
  const { errors = [], warnings = [] } = lints.get(sources) ?? {}
  return toldFaults([...errors, ...warnings])
}

beforeAll(async () => {
  const sources: readonly (readonly [unknown, Files])[] = [
    [wellMade, wellMade],
    [doubtful, doubtful],
    ...mistakes.map((one) => [one, withMistake(wellMade, one)] as const),
  ]
  const folders = sources.map(([, files]) => writeTree(mkdtempSync(join(home, 'sources-')), files))
  for (const [i, lint] of (await lintsOf(folders, join(home, 'data'))).entries())
    lints.set(sources[i]?.[0], lint)
}, 3_600_000)

test('nothing is said of sources without a mistake', () => {
  expect(lints.get(wellMade)).toMatchObject({ errors: [], warnings: [] })
})

test('there are a hundred mistakes', () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(100)
})

test('no two of them are the same', () => {
  const written = mistakes.map((mistake) => withMistake(wellMade, mistake)[mistake.file])

  expect(new Set(written).size).toBe(mistakes.length)
})

test.each(mistakes.map((mistake) => [titleOf(mistake), mistake] as const))('%s', (_title, mistake) => {
  const told = toldOf(mistake)
  const { all, fix, place, expected } = judged(wellMade, mistake, told)

  expect(all).toMatch(mistake.says)
  expect(place).toEqual(expected)
  expect(fix).toMatch(mistake.fix)
  expect(told).toHaveLength(1)
})

test('what is only doubtful keeps no package from being offered', () => {
  const { errors, warnings } = lints.get(doubtful) ?? {}

  expect(errors).toEqual([])
  expect(warnings?.map(({ code }) => code)).toEqual(['toi.package.questionable'])
})
