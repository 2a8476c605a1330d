import { expect, test } from 'vitest'
import { makeLease } from './lease.ts'

function leaseAt(sentAt: number) {
  const time = { now: 0 }
  const clock = { now: () => 0, monotonic: () => time.now, sleep: () => Promise.resolve() }
  const target = { platform: 'p', instance: 'i' }
  return { time, lease: makeLease(clock, { operation: 'op', target, fence: 1, sentAt, leaseMs: 1000 }) }
}

test('a lease holds for four fifths of its time from when it was asked for', () => {
  const { time, lease } = leaseAt(100)
  time.now = 899

  expect(() => lease.check()).not.toThrow()
  time.now = 900
  expect(() => lease.check()).toThrow('Another process has taken over: op')
  expect(lease.lost.aborted).toBe(true)
})

test('a heartbeat lengthens it from when it was sent, an old one does not shorten it', () => {
  const { time, lease } = leaseAt(0)
  lease.renewed(500)
  lease.renewed(300)
  time.now = 1299

  expect(() => lease.check()).not.toThrow()
  time.now = 1300
  expect(() => lease.check()).toThrow('Another process has taken over: op')
})

test('a dropped lease is lost for good', () => {
  const { lease } = leaseAt(0)
  lease.drop()
  lease.renewed(0)

  expect(() => lease.check()).toThrow()
})
