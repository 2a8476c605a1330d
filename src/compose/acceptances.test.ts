/** Orders count once they are committed, and once only. */
import { expect, test } from 'vitest'
import type { Began } from '../broker/ports.ts'
import { makeAcceptances } from './acceptances.ts'

function opened() {
  const counted: string[] = []
  return { counted, book: makeAcceptances({ accepted: (kind, format) => counted.push(`${kind} ${format}`) }) }
}

function order(request: string, kind: Began['kind'], instance: string): Began {
  const about = { operation: `op-${instance}`, format: 'sim', package: { name: 'db', digest: 'sha256:1' } }
  return { request, kind, ...about, target: { platform: 'cf', instance } }
}

test('an order counts when its request is accepted, and not again', () => {
  const { counted, book } = opened()
  book.began(order('r1', 'provision', 'i1'))
  expect(counted).toEqual([])

  book.accepted('r1')
  book.accepted('r1')

  expect(counted).toEqual(['provision sim'])
})

test('a repeated transaction is one order, and one that was refused is none', () => {
  const { counted, book } = opened()
  book.began(order('r1', 'deprovision', 'i1'))
  book.began(order('r1', 'deprovision', 'i1'))
  book.began(order('r2', 'provision', 'i2'))

  book.accepted('r1')

  expect(counted).toEqual(['deprovision sim'])
})
