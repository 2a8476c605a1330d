/** A hundred errors, provoked as people provoke them: each tells code, what, where, why, and a next step that can be taken. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandTree } from '../../scripts/command-tree.ts'
import { problemCodes } from '../../src/model/problem-codes.ts'
import { faultsOfNextStep, faultsOfTold } from '../support/told.ts'
import { ofCommands } from './provoked/commands.ts'
import { ofRequests } from './provoked/requests.ts'
import { ofSettings } from './provoked/settings.ts'

const root = await commandTree('0')

const grounds = [
  ['a configuration', ofSettings],
  ['the command line', ofCommands],
  ['a broker', ofRequests],
] as const

describe.each(grounds)('of %s', (_, ground) => {
  beforeAll(ground.open)
  afterAll(ground.close)

  test.each(ground.errors.map((one) => [one.name, one] as const))('%s', async (_name, error) => {
    const { told, ending } = await error.provoke()

    expect(faultsOfTold(told, error, root)).toEqual([])
    expect([problemCodes[error.code].exit, problemCodes[error.code].status]).toContain(ending)
  })
})

test('there are a hundred, of many codes', () => {
  const all = grounds.flatMap(([, { errors }]) => errors)

  expect(all.length).toBeGreaterThanOrEqual(100)
  expect(new Set(all.map(({ code }) => code)).size).toBeGreaterThanOrEqual(40)
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
})

test('the next step of every code can be taken: its commands, options, documents and settings are there', () => {
  const faults = Object.entries(problemCodes).flatMap(([code, { hint }]) =>
    faultsOfNextStep(hint, root).map((fault) => `${code}: ${fault}`),
  )

  expect(faults).toEqual([])
})

test.each([
  ['Run chandler nothing.', 'no command'],
  ['See "chandler cnab".', 'no command'],
  ['See "chandler cnab list --nothing".', 'no option --nothing'],
  ['Read docs/nothing.md for it.', 'no document docs/nothing.md'],
  ['Send less, or raise http.bodyLimits.', 'no setting http.bodyLimits'],
  ['Send it.', 'no next step'],
])('a step that cannot be taken is found: %s', (step, fault) => {
  expect(faultsOfNextStep(step, root)).toEqual([expect.stringContaining(fault)])
})
