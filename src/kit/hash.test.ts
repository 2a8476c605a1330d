import { expect, test } from 'vitest'
import { digestOf, sameText, shortName, uuidOf } from './hash.ts'

test('derived ids are stable, of the right form, and told apart', () => {
  expect(uuidOf('a', 'b')).toBe(uuidOf('a', 'b'))
  expect(uuidOf('a', 'b')).not.toBe(uuidOf('ab'))
  expect(uuidOf('a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('texts are compared whole', () => {
  expect([sameText('abc', 'abc'), sameText('abc', 'abd'), sameText('', 'a')]).toEqual([true, false, false])
})

test('short names are fit for names outside', () => {
  expect(shortName('cluster', 8)).toMatch(/^[a-z2-7]{8}$/)
  expect(shortName('cluster', 8)).not.toBe(shortName('cluster2', 8))
})

test('a digest is that of the bytes', () => {
  expect(digestOf('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})
