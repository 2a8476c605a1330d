/** What PostgreSQL complains about, told apart. */
import { expect, test } from 'vitest'
import { ProblemError } from '../../model/problem.ts'
import { numbered } from './line.ts'
import { complaintOf, isDisconnect, postgresProblem } from './problem.ts'

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
  ['ECONNREFUSED', 'away'],
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
