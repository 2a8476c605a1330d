/** What functions say of wrong arguments: in the words of the original, and never in those of JavaScript. */
import { expect, test } from 'vitest'
import { builtins } from './functions/index.ts'
import { processSpiff } from './index.ts'

const ports = { random: (count: number) => new Uint8Array(count), now: () => 0 }

function said(expression: string): string {
  const result = processSpiff({ name: 't', text: JSON.stringify({ r: `(( ${expression} ))` }) }, [], {
    ports,
  })
  if (result.kind === 'done') return 'a value'
  return result.fault.unresolved.map(({ issue }) => issue.text).join('\n')
}

test.each([
  [
    'base64("x","y")',
    'second argument for base64 must be an integer or interger string: strconv.ParseInt: parsing "y": invalid syntax',
  ],
  ['base64("x",[1])', 'second argument for base64 must be an integer or interger string'],
  ['hash()', 'hash takes one or two arguments'],
  ['hash("x","y","z")', 'hash takes one or two arguments'],
  ['hash("x",[1])', 'second argument for hash must be a string'],
  ['hash("x",nil)', 'second argument for hash must be a string'],
  ['hash("x","y")', "invalid hash type 'y'"],
  ['md5()', 'md5 takes exactly one argument'],
  ['md5("x","y")', 'md5 takes exactly one argument'],
  ['archive({},"zip")', "invalid archive type 'zip'"],
  ['archive({},[1])', 'second argument for archive must be a string'],
  ['wggenkey("public")', 'invalid key type "public", use private or preshared'],
  ['wggenkey(nil)', 'argument for wggenkey must be a string'],
  ['semvervalidate()', 'semvervalidate requires at least one argument'],
  ['semvervalidate([1])', 'semvervalidate requires one string argument, but got list'],
  ['rand(1,2)', 'rand int takes only one argument'],
  ['join("-",1.5)', 'argument 1 to join must be simple value or list'],
  ['join("-",[1.5])', 'elements of list(arg 1) to join must be simple values'],
])('%s says: %s', (expression, message) => {
  expect(said(expression)).toBe(message)
})

const wrong = [
  '',
  'nil',
  '1',
  '"x"',
  '[1]',
  '{"a"=1}',
  'true',
  '1.5',
  '"x",nil',
  '"x",[1]',
  '1,"x"',
  '"x","y","z"',
]

test.each([...builtins.keys()].sort())('%s tells wrong arguments in no words of JavaScript', (name) => {
  for (const list of wrong)
    expect(said(`${name}(${list})`)).not.toMatch(
      /\[object |undefined|"null"|'null'|is not a function|TypeError|error:[0-9A-F]{8}|ERR_/,
    )
})
