import { expect, test } from 'vitest'
import { makeWaits } from './waits.ts'

const joining = { patient: false, again: false, gone: new AbortController().signal }

test('work that nobody was promised is taken back by the one request that waits', () => {
  expect(makeWaits().join('o', joining).atDeadline()).toBe('undo')
})

test('the repetition takes the wait over, and what the forgotten request would have done', () => {
  const waits = makeWaits()
  const forgotten = waits.join('o', joining)
  const repeated = waits.join('o', { ...joining, again: true })

  expect([forgotten.atDeadline(), repeated.atDeadline()]).toEqual(['left', 'undo'])
})

test('whose client has gone takes nothing back', () => {
  const gone = new AbortController()
  const turn = makeWaits().join('o', { ...joining, gone: gone.signal })
  gone.abort()

  expect(turn.atDeadline()).toBe('left')
})

test('what an earlier request was promised stays', () => {
  const waits = makeWaits()
  waits.join('o', { ...joining, patient: true })

  expect(waits.join('o', { ...joining, again: true }).atDeadline()).toBe('keep')
})

test('what a platform was told at once to poll for stays', () => {
  const waits = makeWaits()
  waits.promised('o')

  expect(waits.join('o', { ...joining, again: true }).atDeadline()).toBe('keep')
})

test('of what began in another process it is not known what was promised', () => {
  expect(
    makeWaits()
      .join('o', { ...joining, again: true })
      .atDeadline(),
  ).toBe('unknown')
})
