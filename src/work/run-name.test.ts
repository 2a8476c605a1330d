/** What the name of a run tells. */
import { expect, test } from 'vitest'
import { operationOfRun, runName } from './run-name.ts'

const name = runName('one', { id: '01m8fkapnz8yd1t79z8dyc3crq', stage: 12, attempt: 3 })

test.each([
  ['its own cluster', 'one', name, '01m8fkapnz8yd1t79z8dyc3crq'],
  ['another cluster', 'two', name, undefined],
  ['a name that goes on', 'one', `${name}~0123`, undefined],
  ['a name without stage and attempt', 'one', name.slice(0, name.lastIndexOf('-')), undefined],
  ['a name of something else', 'one', 'starts.log', undefined],
])('the operation is told by the name: %s', (_, cluster, text, operation) => {
  expect(operationOfRun(cluster, text)).toBe(operation)
})
