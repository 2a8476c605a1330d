/** Mistakes in paks are told with file, line and what to do about them. */
import { rmSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { register } from '../../src/cli/commands/pak.ts'
import { tell } from '../../src/cli/failure.ts'
import { toProblem } from '../../src/model/problem.ts'
import { freshFolder, writeTree } from '../support/image.ts'
import { runCommand } from '../support/run-command.ts'
import { type Mistake, mistakes, wellMade } from './mistakes.ts'
import { read } from './pak.ts'

interface Told {
  readonly source: string
  readonly line: number | undefined
  readonly text: string
  readonly fix: string
}

async function toldOf(files: Readonly<Record<string, string>>): Promise<readonly Told[]> {
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

function planted({ file, right, wrong }: Mistake): Readonly<Record<string, string>> {
  const before = wellMade[file] ?? ''
  const text = typeof right === 'string' ? before.replace(right, () => wrong) : before.replace(right, wrong)
  if (text === before) throw new Error(`nothing changed: ${String(right)}`)
  return { ...wellMade, [file]: text }
}

/** The first line that differs, unless the mistake names another. */
function lineOf(
  { file, at, last, told = file }: Mistake,
  files: Readonly<Record<string, string>>,
): number | undefined {
  const lines = (files[told] ?? '').split('\n')
  if (at !== undefined) {
    const has = (line: string): boolean => line.includes(at)
    const found = last ? lines.findLastIndex(has) : lines.findIndex(has)
    return found < 0 ? undefined : found + 1
  }
  const before = (wellMade[told] ?? '').split('\n')
  return lines.findIndex((line, i) => line !== before[i]) + 1
}

test('nothing is said of a pak without a mistake', async () => {
  expect(await toldOf(wellMade)).toEqual([])
})

test('there are a hundred mistakes', () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(100)
})

test.each(
  mistakes.map(
    (mistake) => [`${mistake.file}: ${String(mistake.right)} → ${mistake.wrong}`, mistake] as const,
  ),
)('%s', async (_name, mistake) => {
  const files = planted(mistake)
  const told = await toldOf(files)
  const fitting = told.find(({ text }) => mistake.says.test(text))

  expect(told.map(({ source, line, text, fix }) => `${source}:${line} ${text} | ${fix}`).join('\n')).toMatch(
    mistake.says,
  )
  expect({ source: fitting?.source, line: fitting?.line }).toEqual({
    source: mistake.told ?? mistake.file,
    line: lineOf(mistake, files) ?? fitting?.line ?? 'none',
  })
  expect(fitting?.fix).toMatch(mistake.fix)
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
