import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { Secret } from './secret.ts'

test('a secret prints as stars wherever it is not asked for by name', () => {
  const secret = new Secret('hunter2')

  expect([`${secret}`, JSON.stringify({ secret }), inspect(secret)].join(' ')).not.toContain('hunter2')
  expect(secret.reveal()).toBe('hunter2')
})
