import { expect, test } from 'vitest'
import { bundleOf, type Ending, out, report } from '../../../test/cnab/stage.ts'
import { optionsOf } from './options.ts'
import { judgeRun } from './verdict.ts'

const bundle = bundleOf({
  definitions: { text: { type: 'string', default: 'preset' }, must: { type: 'string' } },
  outputs: { text: out('text'), must: out('must') },
})

test.each<[string, Ending, readonly (readonly [string, string])[]]>([
  [
    'ended well',
    { written: { must: 'm' } },
    [
      ['text', 'preset'],
      ['must', 'm'],
    ],
  ],
  ['failed', { exit: 3, written: { must: 'm' } }, [['must', 'm']]],
  ['was stopped', { end: { kind: 'stopped' }, written: { must: 'm' } }, [['must', 'm']]],
  ['was lost', { end: { kind: 'lost' } }, []],
])('a default that would hide the value of before: a run that %s', (_, ending, expected) => {
  const { outputs } = judgeRun({ bundle, action: 'upgrade', options: optionsOf({}) }, report(ending))

  expect(outputs.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual(expected)
})
