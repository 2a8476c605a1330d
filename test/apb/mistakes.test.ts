/** Mistakes in service bundles are told with file, line and what to do about them. */
import { expect, test } from 'vitest'
import { lintSpec } from '../../src/contracts/apb/index.ts'
import { type Files, judged, type ToldFault, titleOf, toldFaults, withMistake } from '../support/planted.ts'
import { mistakes, wellMade } from './mistakes.ts'

function toldOf(files: Files): readonly ToldFault[] {
  const { problems, warnings } = lintSpec(files['apb.yml'] ?? '', { registry: 'local', runtime: 2 })
  return toldFaults([...problems, ...warnings])
}

test('nothing is said of a bundle without a mistake', () => {
  expect(toldOf(wellMade)).toEqual([])
})

test('there are a hundred mistakes', () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(100)
})

test.each(mistakes.map((mistake) => [titleOf(mistake), mistake] as const))('%s', (_title, mistake) => {
  const { all, fix, place, expected } = judged(wellMade, mistake, toldOf(withMistake(wellMade, mistake)))

  expect(all).toMatch(mistake.says)
  expect(place).toEqual(expected)
  expect(fix).toMatch(mistake.fix)
})
