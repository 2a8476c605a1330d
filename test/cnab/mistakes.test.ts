/** Mistakes in bundles are told with file, line and what to do about them. */
import { expect, test } from 'vitest'
import { readBundle } from '../../src/contracts/cnab/index.ts'
import { type Files, judged, type ToldFault, titleOf, toldFaults, withMistake } from '../support/planted.ts'
import { mistakes, wellMade } from './mistakes.ts'

function toldOf(files: Files): readonly ToldFault[] {
  const reading = readBundle(Buffer.from(files['bundle.json'] ?? ''))
  const problems = reading.kind === 'refused' ? reading.problems : []
  return toldFaults([...problems, ...reading.warnings])
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

test.each([
  ['a comma too many', '{\n  "name": "x",\n}', 3],
  ['a comma too few', '{\n  "name": "x"\n  "version": "1.0.0"\n}', 3],
  ['a text without its end', '{\n  "name": "x\n}', 2],
])('what is no JSON is told with its line: %s', (_name, text, line) => {
  expect(toldOf({ 'bundle.json': text })).toMatchObject([{ source: 'bundle.json', line }])
})
