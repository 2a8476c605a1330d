/** Mistakes in paks are told with file, line and what to do about them. */
import { rmSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { register } from '../../src/cli/commands/pak.ts'
import { tell } from '../../src/cli/failure.ts'
import { toProblem } from '../../src/model/problem.ts'
import { freshFolder, writeTree } from '../support/image.ts'
import { judged, type ToldFault, titleOf, withMistake } from '../support/planted.ts'
import { runCommand } from '../support/run-command.ts'
import { mistakes, wellMade } from './mistakes.ts'
import { read } from './pak.ts'

async function toldOf(files: Readonly<Record<string, string>>): Promise<readonly ToldFault[]> {
  const reading = await read(files)
  if (reading.kind === 'describe-first') throw new Error('paks do not describe themselves')
  const problems = reading.kind === 'refused' ? reading.problems : reading.warnings
  return problems
    .filter(({ code }) => code !== 'pak.binary.missing')
    .map(({ where, detail = '', hint = '' }) => ({
      source: where?.source ?? '',
      line: where?.line,
      text: detail,
      fix: hint,
    }))
}

test('nothing is said of a pak without a mistake', async () => {
  expect(await toldOf(wellMade)).toEqual([])
})

test('there are a hundred mistakes', () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(100)
})

test.each(mistakes.map((mistake) => [titleOf(mistake), mistake] as const))('%s', async (_name, mistake) => {
  const { all, fix, place, expected } = judged(
    wellMade,
    mistake,
    await toldOf(withMistake(wellMade, mistake)),
  )

  expect(all).toMatch(mistake.says)
  expect(place).toEqual(expected)
  expect(fix).toMatch(mistake.fix)
})

test('the command says each of several mistakes with its place and its remedy', async () => {
  const folder = freshFolder('mistakes')
  const planted = (wellMade['thing.yml'] ?? '')
    .replace('type: string', 'type: strng')
    .replace('tags:', 'tgas:')
  writeTree(folder, { ...wellMade, 'thing.yml': planted })
  const heard: string[] = []
  const failing = runCommand(register, ['pak', 'validate', folder])
  const problem = await failing.then(
    () => undefined,
    (error: unknown) => toProblem(error),
  )
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => heard.push(String(text)) > 0)
  if (problem) tell(problem, 'text', false)

  expect(heard.join('')).toMatch(/thing.yml line 9:1: tgas: .* - Write "tags"\./)
  expect(heard.join('')).toMatch(
    /thing.yml line 34:5: provision.user_inputs\[0\].type: "strng" is no type - Write "string"\./,
  )
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})
