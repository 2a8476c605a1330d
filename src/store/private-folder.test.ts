import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makePrivateFolder } from './private-folder.ts'

const place = mkdtempSync(join(tmpdir(), 'chandler-private-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test('a folder is made with those above it, for its user alone', () => {
  makePrivateFolder(join(place, 'a/b/c'))

  expect(['a', 'a/b', 'a/b/c'].map((path) => modeOf(join(place, path)))).toEqual(['700', '700', '700'])
})

test('one that others may read is made private, and those above it are left as they are', () => {
  const folder = join(place, 'open/inner')
  mkdirSync(folder, { recursive: true })
  for (const path of [join(place, 'open'), folder]) chmodSync(path, 0o755)
  makePrivateFolder(folder)

  expect([modeOf(join(place, 'open')), modeOf(folder)]).toEqual(['755', '700'])
})

test.each([
  ['is a file', join(place, 'file')],
  ['lies below a file', join(place, 'file/inner')],
  ['lies where none can be made', '/proc/nowhere/inner'],
])('one that %s is told as one that cannot be written', (_, folder) => {
  writeFileSync(join(place, 'file'), 'x')
  chmodSync(join(place, 'file'), 0o644)

  expect(() => makePrivateFolder(folder)).toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ code: 'file.unwritable' }) }),
  )
  expect(modeOf(join(place, 'file'))).toBe('644')
})
