/** The spiff corpus as tests: our own cases everywhere, the transcribed ones where they are. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decided } from './decisions.ts'
import { type Case, judge } from './judge.ts'

const own = new URL('.', import.meta.url).pathname
const shared = new URL('../../../../shared/corpus/spiff/', import.meta.url).pathname

function files(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
}

function failures(folder: string, file: string): readonly string[] {
  const cases = JSON.parse(readFileSync(folder + file, 'utf8')) as readonly Case[]
  return cases.flatMap((item) => {
    const why = judge({ ...item, ...decided(file, item)?.outcome }, file)
    return why === undefined ? [] : [`${item.name}\n${why}`]
  })
}

test.each(files(own))('%s comes out as written', (file) => {
  expect(failures(own, file)).toEqual([])
})

const known = new Set(files(own))
const others = files(shared).filter((file) => !known.has(file))

test.skipIf(!existsSync(shared))('the transcribed cases are there', () => {
  expect(others.length).toBeGreaterThan(0)
})

test.each(others)('the transcribed cases come out as the original has them: %s', { timeout: 300_000 }, (file) => {
  expect(failures(shared, file)).toEqual([])
})

test('the page for users tells why what comes out otherwise does', () => {
  const page = readFileSync(new URL('../../../docs/languages/spiff.md', import.meta.url), 'utf8')
  const untold = decided.reasons().filter(({ told }) => !page.includes(told))

  expect(untold).toEqual([])
})

test('every decision against the original names a case that exists', () => {
  const folder = existsSync(shared) ? shared : own
  const names = new Set(
    files(folder).flatMap((file) =>
      (JSON.parse(readFileSync(folder + file, 'utf8')) as readonly Case[]).map(({ name }) => `${file}: ${name}`),
    ),
  )
  const stale = decided.keys().filter((key) => !names.has(key) && files(folder).includes(key.split(': ')[0] ?? ''))
  expect(stale).toEqual([])
})
