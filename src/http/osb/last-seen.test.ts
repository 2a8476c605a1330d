import { expect, test } from 'vitest'
import { ProblemError } from '../../model/problem.ts'
import type { Answer } from '../answer.ts'
import { makeLastSeen } from './last-seen.ts'

const away = new ProblemError({ code: 'store.unavailable' })
const unknown = new ProblemError({ code: 'instance.unknown' })
const working: Answer = {
  status: 200,
  body: { state: 'in progress', description: 'half' },
  headers: { 'Retry-After': '7' },
}
const done: Answer = { status: 200, body: { state: 'succeeded' } }
const gone: Answer = { status: 410, body: {} }

test.each<[string, readonly (Answer | Error)[], number, Answer | Error]>([
  ['what was in progress is told to be so still', [working, away], 0, working],
  ['what was in progress is told so for half a minute', [working, away], 30_000, working],
  ['what was in progress is not told for longer', [working, away], 30_001, away],
  ['what was never asked for is not known', [away], 0, away],
  ['what has ended is not told from memory', [working, done, away], 0, away],
  ['what is gone is not told from memory', [working, gone, away], 0, away],
  ['an outage does not count as an answer', [working, away, away], 0, working],
  ['a refusal that is none of the store is told as it is', [working, unknown], 0, unknown],
])('while the store is away %s', async (_name, answers, laterMs, expected) => {
  let now = 0
  const lastSeen = makeLastSeen({ monotonic: () => now })
  const poll = (answer: Answer | Error) =>
    lastSeen
      .through('key', () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)))
      .catch((thrown: unknown) => thrown)
  for (const answer of answers.slice(0, -1)) await poll(answer)
  now += laterMs

  expect(await poll(answers.at(-1) ?? away)).toBe(expected)
})

test('what others asked for is not told', async () => {
  const lastSeen = makeLastSeen({ monotonic: () => 0 })
  await lastSeen.through('one', () => Promise.resolve(working))

  await expect(lastSeen.through('other', () => Promise.reject(away))).rejects.toBe(away)
})

test('the longest unasked is forgotten when there are too many', async () => {
  const lastSeen = makeLastSeen({ monotonic: () => 0 })
  for (let i = 0; i <= 10_000; i++) await lastSeen.through(`k${i}`, () => Promise.resolve(working))

  await expect(lastSeen.through('k0', () => Promise.reject(away))).rejects.toBe(away)
  expect(await lastSeen.through('k1', () => Promise.reject(away))).toBe(working)
})
