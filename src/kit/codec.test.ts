import { expect, test } from 'vitest'
import { decode, encode } from './codec.ts'
import { Secret } from './secret.ts'

test('bytes, maps, secrets and plain values come back as they were', () => {
  const value = {
    bytes: new Uint8Array([0, 255, 10]),
    map: new Map([['a', { nested: new Uint8Array([1]) }]]),
    list: [1, 'x', null, true],
    $odd: { $secret: 'not one' },
  }

  expect(decode(encode(value))).toEqual(value)
})

test('an object that looks like a mark stays an object', () => {
  expect(decode(encode({ $bytes: 'AAAA' }))).toEqual({ $bytes: 'AAAA' })
})

test('a secret keeps its value', () => {
  expect(decode<{ s: Secret }>(encode({ s: new Secret('x') })).s.reveal()).toBe('x')
})
