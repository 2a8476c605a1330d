/** What came out of a run is hidden in whatever way a program writes it. */

import { describe, expect, test } from 'vitest'
import { packageOf, situation } from '../../test/cnab/stage.ts'
import { Secret } from '../kit/secret.ts'
import { maskFor } from './secrets.ts'

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
    const mask = maskFor(situation(await packageOf({})), further(value))

    expect(mask.text(`made: ${write(value)} .`)).toMatch(/^made: (\[redacted\]\s*)+.{0,4} ?\.$/s)
  })
})

test('of a document that a run has made the values are hidden, and its other lines are not', async () => {
  const made = [JSON.stringify({ host: 'db.internal.example', password: 'Zk3vQ9mXw2Lr' }, null, 2)]
  const mask = maskFor(situation(await packageOf({})), { made })

  expect(mask.text('"password": "Zk3vQ9mXw2Lr"\n{\n  "port": 5432\n}')).toBe(
    '"password": "[redacted]"\n{\n  "port": 5432\n}',
  )
})

test('a lent document that is nested deeper than calls can be is read to its end', async () => {
  const document = `${'['.repeat(100_000)}{"password":"Zk3vQ9mXw2Lr"}${']'.repeat(100_000)}`
  const infrastructure = { document: new Secret(document) }
  const mask = maskFor({ ...situation(await packageOf({})), infrastructure }, {})

  expect(mask.text('it is Zk3vQ9mXw2Lr')).toBe('it is [redacted]')
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
  const outputs = [{ name: 'plan', content, secret: true }]
  const mask = maskFor(situation(await packageOf({})), { outputs })

  expect(mask.text('Plan: 0 to add, 1 to change, Zk3vQ9mXw2Lr')).toBe(
    'Plan: 0 to add, 1 to change, [redacted]',
  )
})

const contents = [
  [
    'lines that others may print, too',
    'Plan: 0 to add\nuser: operator\nhost: db.internal\nkey=Zk3vQ9mXw2Lr8\nrest\n',
  ],
  ['a document', '{\n  "host": "db.internal",\n  "password": "Zk3vQ9mXw2Lr8"\n}'],
  ['a document in one line', '{"host":"db.internal","password":"Zk3vQ9mXw2Lr8","port":1}'],
] as const

test.each(contents)('of a file with %s nothing can be read where it is encoded', async (_, text) => {
  const content = Buffer.from(text)
  const outputs = [{ name: 'file', content, secret: true }]
  const mask = maskFor(situation(await packageOf({})), { outputs })
  const base64 = content.toString('base64')

  for (let width = 34; width < 90; width++)
    for (const between of ['\n', '\n app | ', '"}\n{"line": "']) {
      const parts = base64.match(new RegExp(`.{1,${width}}`, 'g')) ?? []
      const shown = mask.text(`made: ${parts.join(between)} .`)
      const left = shown.replaceAll(/made: | \.$|app \||"\}|\{"line": "|[\s=]/g, '').split('[redacted]')
      expect(left.filter((part) => part.length > 4)).toEqual([])
    }
  expect(mask.text(content.toString('hex'))).toBe('[redacted]')
})
