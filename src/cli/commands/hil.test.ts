import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { runCommand } from '../../../test/support/run-command.ts'
import { register } from './hil.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

function run(...words: readonly string[]): Promise<string> {
  return runCommand(register, ['hil', 'eval', ...words])
}

function file(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'hil-')), 'vars.yml')
  writeFileSync(path, text)
  return path
}

test('prints the value of a template with variables from flags and a file', async () => {
  expect(await run('${a}-${m["k"]}', '--var', 'a=x=y', '--vars', file('m: {k: 1}\na: hidden'))).toBe(
    'x=y-1\n',
  )
})

test('prints a list as JSON and casts where asked to', async () => {
  expect(await run('${l}', '--vars', file('l: [1, a]'), '-o', 'json')).toBe('["1","a"]\n')
  expect(await run('${4503599627370496 * 4}', '--type', 'integer')).toBe('18014398509481984\n')
})

test.each([
  [['${nope}'], /1:3: unknown variable accessed: nope\n\$\{nope\}\n {2}\^/],
  [['${env("HOME")}'], /the environment is not granted here/],
  [['x', '--type', 'integer'], /unable to cast "x" of type string to int/],
  [['${l[0][0]}', '--original'], /expected "}" but found "\["/],
])('%j is refused with its reason', async (words, message) => {
  await expect(run(...words)).rejects.toThrow(message)
})

test.each(['[1]', 'a: [', 'x'])('variables that are no map are refused: %s', async (text) => {
  await expect(run('x', '--vars', file(text))).rejects.toThrow(/The variables are not a map/)
})

test('a variable without a name is wrong usage', async () => {
  await expect(run('x', '--var', '=x')).rejects.toThrow(/write name=value/)
})

test('the environment is read where it is granted, and time, chance and a counter always', async () => {
  vi.stubEnv('CHANDLER_TEST_WORD', 'word')

  expect(await run('${env("CHANDLER_TEST_WORD")} ${counter.next()}${counter.next()}', '--env')).toBe(
    'word 12\n',
  )
  expect(await run('${time.nano()} ${rand.base64(3)}')).toMatch(/^\d{19} [\w-]{4}\n$/)
})
