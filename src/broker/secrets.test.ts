/** What came out of a run is hidden in whatever way a program writes it. */
import { expect, test } from 'vitest'
import { packageOf, situation } from '../../test/cnab/stage.ts'
import { maskOf } from '../kit/redact.ts'
import { secretsOf } from './secrets.ts'

const lines = ['dQXmR4tZw8kLp2VbNc:', '    7hJsY0uFgE3oTiAq9M', '    gHxB5vWnK6yDzPr1Lf', '']

test.each([
  ['as it is', (text: string) => text],
  ['in Base64', (text: string) => Buffer.from(text).toString('base64')],
  ['in Base64 that is broken within the last line', (text: string) => wrapped(text)],
])('a value of several lines that a run has made is hidden %s', async (_, write) => {
  const made = [lines.join('\n')]
  const mask = maskOf(secretsOf(situation(await packageOf({})), { made }))

  const shown = mask.text(`made: ${write(made[0] ?? '')} .`)

  expect(shown).toMatch(/^made: (\[redacted\]\s*)+.{0,4} ?\.$/s)
})

test('of a document that a run has made the values are hidden, and its other lines are not', async () => {
  const made = [JSON.stringify({ host: 'db.internal.example', password: 'Zk3vQ9mXw2Lr' }, null, 2)]
  const mask = maskOf(secretsOf(situation(await packageOf({})), { made }))

  expect(mask.text('"password": "Zk3vQ9mXw2Lr"\n{\n  "port": 5432\n}')).toBe(
    '"password": "[redacted]"\n{\n  "port": 5432\n}',
  )
})

function wrapped(text: string): string {
  return (
    Buffer.from(text)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\n')
}
