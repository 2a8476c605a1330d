import { expect, test } from 'vitest'
import { redactor, redactText, secretTexts } from './redact.ts'

const secret = 'hünter2/"pass word"'

test.each([
  ['itself', secret],
  ['as JSON', JSON.stringify(secret).slice(1, -1)],
  ['in a URL', encodeURIComponent(secret)],
  ['in hex', Buffer.from(secret).toString('hex')],
  ['in Base64 alone', Buffer.from(secret).toString('base64')],
  ['in Base64 after one byte', Buffer.from(`x${secret}yy`).toString('base64')],
  ['in Base64 after two bytes', Buffer.from(`xx${secret}y`).toString('base64')],
])('a secret is hidden %s', (_, text) => {
  const shown = redactText(`before ${text} after`, [secret])

  expect(shown).toContain('[redacted]')
  expect(shown.startsWith('before ')).toBe(true)
  expect(shown.endsWith(' after')).toBe(true)
})

test('a secret that is split anywhere is hidden', () => {
  const bytes = Buffer.from(`log ${secret} end ${secret}`)
  for (let cut = 1; cut < bytes.length; cut++) {
    const one = redactor([secret])
    const shown = Buffer.concat([
      one.push(bytes.subarray(0, cut)),
      one.push(bytes.subarray(cut)),
      one.end(),
    ]).toString()
    expect(shown).toBe('log [redacted] end [redacted]')
  }
})

test('bytes that are no text pass unharmed', () => {
  const bytes = new Uint8Array([0, 255, 254, 10, 128])
  const one = redactor([secret])

  expect(Buffer.concat([one.push(bytes), one.end()])).toEqual(Buffer.from(bytes))
})

test('short and common words are left alone', () => {
  expect(redactText('admin true 12345 abc', ['admin', 'true', '12345', 'abc'])).toBe('admin true 12345 abc')
})

test('the texts of a value are found, keys line by line', () => {
  expect([...secretTexts({ a: ['x', { b: 'line one is long enough\nshort' }] })]).toEqual([
    'x',
    'line one is long enough\nshort',
    'line one is long enough',
  ])
})
