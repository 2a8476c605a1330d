/** Mistakes in the sources of TOI packages are told with file, line and what to do about them. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lintPath } from '../../src/authoring/sources/lint.ts'
import { freshFolder, writeTree } from '../support/image.ts'
import { type Files, judged, type ToldFault, titleOf, toldFaults, withMistake } from '../support/planted.ts'
import { place, quiet } from './component.ts'
import { mistakes, wellMade } from './mistakes.ts'

let home: string
let count = 0
beforeAll(() => {
  home = freshFolder('toi-mistakes')
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const listener = { ...quiet, ...place, log: () => Promise.resolve() }

/** What the lint says of sources, by the door that authors have. */
async function toldOf(files: Files): Promise<readonly ToldFault[]> {
  const folder = join(home, `${++count}`)
  writeTree(folder, files)
  const { errors, warnings } = await lintPath(folder, join(home, 'data'), {
    ...quiet,
    ...place,
    log: () => Promise.resolve(),
  })
  return toldFaults([...errors, ...warnings])
}

test('nothing is said of sources without a mistake', async () => {
  expect(await toldOf(wellMade)).toEqual([])
})

test('there are a hundred mistakes', () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(100)
})

test.each(mistakes.map((mistake) => [titleOf(mistake), mistake] as const))('%s', async (_title, mistake) => {
  const told = await toldOf(withMistake(wellMade, mistake))
  const { all, fix, place: there, expected } = judged(wellMade, mistake, told)

  expect(all).toMatch(mistake.says)
  expect(there).toEqual(expected)
  expect(fix).toMatch(mistake.fix)
})

test('what is only doubtful keeps no package from being offered', async () => {
  const folder = writeTree(join(home, 'doubtful'), {
    ...wellMade,
    'package.yaml': wellMade['package.yaml'].replace('configScheme', 'configSchema'),
  })
  const { errors, warnings } = await lintPath(folder, join(home, 'data'), listener)

  expect(errors).toEqual([])
  expect(warnings.map(({ code }) => code)).toEqual(['toi.package.questionable'])
})
