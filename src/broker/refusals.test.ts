/** Refused requests in the audit trail: none is forgotten, and no crowd fills the disk. */
import { expect, test } from 'vitest'
import { makeRefusalBook, type Refusal } from './refusals.ts'

const minute = 60_000

function refusal(source: string, id = 'operator', requestId = 'r'): Refusal {
  return {
    asker: { platform: '', account: { kind: 'user', id: 'unknown' }, requestId, source },
    deed: {
      action: 'login.failed',
      kind: 'account',
      id,
      refusal: { denied: true, code: 'request.unauthenticated' },
    },
  }
}

test('the first of a kind is written at once, its repetitions as one number', () => {
  const book = makeRefusalBook()

  expect(book.note(refusal('10.0.0.1'), 0)).toEqual([refusal('10.0.0.1')])
  for (let i = 0; i < 5; i++) expect(book.note(refusal('10.0.0.1', 'operator', `r${i}`), i)).toEqual([])
  expect(book.due(minute - 1)).toEqual([])

  const [record] = book.due(minute)

  expect(record?.deed.times).toBe(5)
  expect(record?.asker.requestId).toBe('r4')
})

test('a repetition that came once has no number', () => {
  const book = makeRefusalBook()
  book.note(refusal('10.0.0.1'), 0)
  book.note(refusal('10.0.0.1'), 1)

  expect(book.due(minute)).toEqual([refusal('10.0.0.1')])
})

test('while the same goes on, records become rarer, up to one an hour', () => {
  const book = makeRefusalBook()
  let records = 0
  for (let at = 0; at < 24 * 60; at++) {
    records += book.note(refusal('10.0.0.1'), at * minute).length + book.due(at * minute).length
  }

  expect(records).toBeLessThan(35)
})

test('who is quiet for a while is written at once again', () => {
  const book = makeRefusalBook()
  book.note(refusal('10.0.0.1'), 0)
  book.due(minute)

  expect(book.note(refusal('10.0.0.1'), 2 * minute)).toHaveLength(1)
})

test.each([
  [['cf', 'i'], 0],
  [['cf', 'j'], 1],
  [['k8s', 'i'], 1],
])('a thing of the same name within %j is %i other things', (within, more) => {
  const book = makeRefusalBook()
  const readingOf = (outer: readonly string[]): Refusal => {
    const { asker, deed } = refusal('10.0.0.1', 'b')
    return { asker, deed: { ...deed, kind: 'binding', within: outer } }
  }
  book.note(readingOf(['cf', 'i']), 0)

  expect(book.note(readingOf(within), 0)).toHaveLength(more)
})

test('a crowd of sources has its allowance, is counted as one beyond it, and nothing is lost', () => {
  const book = makeRefusalBook()
  const written: Refusal[] = []
  const knocks = 10_000
  for (let i = 0; i < knocks; i++) {
    const now = i * 6
    written.push(...book.note(refusal(`10.0.${i >> 8}.${i & 255}`), now), ...book.due(now))
  }
  written.push(...book.due(10 * minute, true))

  expect(written.length).toBeLessThan(240)
  expect(written.reduce((all, one) => all + (one.deed.times ?? 1), 0)).toBe(knocks)
  expect(written.at(-1)?.asker.account.id).toBe('several')
  expect(written.at(-1)?.asker.source).toBeUndefined()
  // A thing of that name is another one.
  expect(written.at(-1)?.deed).not.toHaveProperty('within')
})
