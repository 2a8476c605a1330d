import { expect, test } from 'vitest'
import { systemChance } from './clock.ts'
import { ulid, ulidSource } from './id.ts'

test('ids have the form of a ULID and sort by time', () => {
  const ids = [1, 1_000, 1_750_000_000_000].map((now) => ulid(now, systemChance))

  expect(ids.every((id) => /^[0-9a-hjkmnp-tv-z]{26}$/.test(id))).toBe(true)
  expect([...ids].sort()).toEqual(ids)
})

test('a time and a chance give one id', () => {
  const chance = { bytes: (count: number) => new Uint8Array(count).fill(31), number: () => 0 }

  expect(ulid(1_469_918_176_385, chance)).toBe('01aryz6s41zzzzzzzzzzzzzzzz')
})

test('ids of one source grow within a millisecond and when the clock goes back', () => {
  const next = ulidSource(systemChance)
  const ids = [5000, 5000, 5000, 4000, 6000].map(next)

  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(5)
})

test('the successor of an id carries over', () => {
  const next = ulidSource({ bytes: (count) => new Uint8Array(count).fill(31), number: () => 0 })
  next(1)

  expect(next(1)).toBe('00000000020000000000000000')
})
