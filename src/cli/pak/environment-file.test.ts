import { expect, test } from 'vitest'
import { readEnvironmentFile } from './environment-file.ts'

test.each([
  ['A=1', '1'],
  ['export A=a b', 'a b'],
  ['  A="x"  ', 'x'],
  [String.raw`A="{\"a\": \"$b\", \\}"`, String.raw`{"a": "$b", \}`],
  [String.raw`A='it'\''s'`, "it's"],
  ['A={"a": "b"}', '{"a": "b"}'],
  ['A="b" and "c"', '"b" and "c"'],
  ['A=\'{\n  "key": "-----\\nx"\n}\'\n', '{\n  "key": "-----\\nx"\n}'],
  ['A="one\r\ntwo"', 'one\ntwo'],
  ['A=', ''],
  ["A='never closed", "'never closed"],
])('%j assigns %j', (text, value) => {
  expect(readEnvironmentFile(`# first\n\n${text}\nB=2`)).toEqual({
    variables: { A: value, B: '2' },
    unread: [],
  })
})

test('lines that assign nothing are told', () => {
  expect(readEnvironmentFile('KEY={\n  "a": 1\n}\nB=2')).toEqual({
    variables: { KEY: '{', B: '2' },
    unread: [2, 3],
  })
})
