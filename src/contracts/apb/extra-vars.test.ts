import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { argumentsOf, encodeVars, userOf } from './extra-vars.ts'

test('keys are sorted and signs of HTML are escaped, as the original writes them', () => {
  expect(encodeVars({ b: '<&>', a: { d: 1, c: true } })).toBe(
    '{"a":{"c":true,"d":1},"b":"\\u003c\\u0026\\u003e"}',
  )
})

test.each([
  'two  blanks',
  '*',
  'a?c',
  '[ab]',
  'quote " and \\ backslash',
  's2i/assemble',
  'tab\tand line\nbreak',
  'ü€\u2028',
])('%j survives the unquoted echo of a base image', (value) => {
  const folder = mkdtempSync(join(tmpdir(), 'apb-'))
  try {
    // Names that a wildcard would be replaced by.
    for (const name of ['abc', '{"a":"x"}']) writeFileSync(join(folder, name), '')
    const [, , document] = argumentsOf('provision', { a: value })
    const printed = execFileSync('bash', ['-c', 'echo $1', 'entrypoint', document], {
      cwd: folder,
      encoding: 'utf8',
    })

    expect(JSON.parse(printed)).toEqual({ a: value })
    expect(document).not.toContain('s2i/assemble')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each([
  [{ username: 'alice', uid: '1' }, 'alice'],
  [{ uid: '1' }, '1'],
  [{ user_id: '2' }, '2'],
  [{}, ''],
])('the user of %j is %j', (identity, user) => {
  expect(userOf({ platform: 'p', identity })).toBe(user)
})
