import { expect, test } from 'vitest'
import { concat, fromBase64, fromHex, toBase64, toHex } from './bytes.ts'

const all = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7) % 256)

test.each([0, 1, 2, 3, 4, 255, 8192, 8193, 100_000])(
  '%i bytes are written and read as Buffer does',
  (length) => {
    const bytes = all.subarray(0, length)

    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
    expect(fromBase64(toBase64(bytes))).toEqual(bytes)
    expect(toHex(bytes)).toBe(Buffer.from(bytes).toString('hex'))
    expect(fromHex(toHex(bytes))).toEqual(bytes)
  },
)

test.each(['', 'YQ', 'YQ==', 'Y', 'YWI', ' Y W\nI= ', '-_-_', 'YQ==YQ==', 'YW!I', 'é'])(
  'Base64 %j is read as Buffer reads it',
  (text) => {
    expect(fromBase64(text)).toEqual(new Uint8Array(Buffer.from(text, 'base64')))
  },
)

test.each(['', '0', '0g', '00ff', '00f', 'zz'])('digits %j are read as Buffer reads them', (text) => {
  expect(fromHex(text)).toEqual(new Uint8Array(Buffer.from(text, 'hex')))
})

test('arrays are joined', () => {
  expect(concat(Uint8Array.of(1), new Uint8Array(), Uint8Array.of(2, 3))).toEqual(Uint8Array.of(1, 2, 3))
})
