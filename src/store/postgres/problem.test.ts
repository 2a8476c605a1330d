/** What PostgreSQL complains about, told apart. */
import { expect, test } from 'vitest'
import { ProblemError } from '../../model/problem.ts'
import { numbered } from './line.ts'
import { clockStep, complaintOf, isDisconnect, postgresProblem } from './problem.ts'

const withCode = (code: string, constraint?: string): Error =>
  Object.assign(new RangeError(`code ${code}`), { code, constraint })

test.each([
  ['40001', 'race'],
  ['40P01', 'race'],
  ['55P03', 'race'],
  ['23505', 'race'],
  ['57P01', 'away'],
  ['57P03', 'away'],
  ['53300', 'away'],
  ['25006', 'away'],
  ['08006', 'away'],
  ['53100', 'away'],
  ['53200', 'away'],
  ['58030', 'away'],
  ['ECONNREFUSED', 'away'],
  ['XX001', 'damaged'],
  ['XX002', 'damaged'],
  ['58P01', 'damaged'],
  ['42601', 'other'],
  ['23514', 'other'],
])('the code %s is: %s', (code, kind) => {
  expect(complaintOf(withCode(code)).kind).toBe(kind)
})

test.each([
  'Connection terminated unexpectedly',
  'timeout exceeded when trying to connect',
  'Client was closed and is not queryable',
])('the message "%s" is a break', (message) => {
  const error = new RangeError(message)

  expect([isDisconnect(error), complaintOf(error).kind]).toEqual([true, 'away'])
  expect(postgresProblem(error)).toMatchObject({ problem: { code: 'store.unavailable', cause: error } })
})

test.each([
  ['operations_active', 'instance.busy'],
  ['operations_waiting', 'instance.busy'],
  ['instances_pkey', 'instance.exists'],
  ['bindings_pkey', 'binding.exists'],
])('a broken rule %s is %s', (constraint, code) => {
  const error = withCode('23505', constraint)

  expect(complaintOf(error).kind).toBe('conflict')
  expect(postgresProblem(error)).toMatchObject({ problem: { code } })
})

test('a full disk is a store that is unavailable, and files that no server would have written are damage', () => {
  const problems = [withCode('53100'), withCode('XX001')].map(postgresProblem)

  expect(problems).toMatchObject([
    { problem: { code: 'store.unavailable' } },
    { problem: { code: 'store.corrupt' } },
  ])
})

test.each([
  [10_800_000, 'by 10800 s forward'],
  [-60_000, 'by 60 s back'],
])('a clock that was set by %s ms is told with how far and which way', (ms, detail) => {
  expect(clockStep(ms)).toMatchObject({ problem: { code: 'store.clock-step', detail } })
})

test('what is not of the server, or not foreseen, stays as it is', () => {
  const errors = [new RangeError('x'), withCode('42601'), 'text']

  expect(errors.map(postgresProblem)).toEqual(errors)
})

test('a problem that is ours is told on as it is', () => {
  const ours = new ProblemError({ code: 'instance.busy' })

  expect([complaintOf(ours).kind, postgresProblem(ours)]).toEqual(['other', ours])
})

test('placeholders are numbered', () => {
  expect(numbered('a = ? AND b IN (?, ?)')).toBe('a = $1 AND b IN ($2, $3)')
})
