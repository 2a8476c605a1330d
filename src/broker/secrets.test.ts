/** What came out of a run is hidden in whatever way a program writes it. */
import { describe, expect, test } from 'vitest'
import { packageOf, situation } from '../../test/cnab/stage.ts'
import { maskOf } from '../kit/redact.ts'
import { secretsOf } from './secrets.ts'

const lines = ['dQXmR4tZw8kLp2VbNc:', '    7hJsY0uFgE3oTiAq9M', '    gHxB5vWnK6yDzPr1Lf', '']

const ways = [
  ['a run has made', (text: string) => ({ made: [JSON.stringify(text)] })],
  [
    'is a secret output in JSON',
    (text: string) => ({
      outputs: [{ name: 'o', content: Buffer.from(JSON.stringify({ text })), secret: true }],
    }),
  ],
] as const

const writings = [
  ['as it is', (text: string) => text],
  ['in Base64', (text: string) => Buffer.from(text).toString('base64')],
  ['in Base64 that is broken within the last line', (text: string) => wrapped(text)],
] as const

describe.each(ways)('a value of several lines that %s', (_, further) => {
  test.each(writings)('is hidden %s', async (_, write) => {
    const value = lines.join('\n')
    const mask = maskOf(secretsOf(situation(await packageOf({})), further(value)))

    expect(mask.text(`made: ${write(value)} .`)).toMatch(/^made: (\[redacted\]\s*)+.{0,4} ?\.$/s)
  })
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

test('of a file of several lines the values are hidden, and not what others may print, too', async () => {
  const content = Buffer.from('Plan: 0 to add, 1 to change\npassword = Zk3vQ9mXw2Lr\n')
  const mask = maskOf(
    secretsOf(situation(await packageOf({})), { outputs: [{ name: 'plan', content, secret: true }] }),
  )

  expect(mask.text('Plan: 0 to add, 1 to change, Zk3vQ9mXw2Lr')).toBe(
    'Plan: 0 to add, 1 to change, [redacted]',
  )
})
