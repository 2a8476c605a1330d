/** What another process has to find out is awaited between two transactions, never inside of one. */
import { expect, test } from 'vitest'
import type { Contract, Prepared } from '../contracts/contract.ts'
import type { Situation } from '../model/situation.ts'
import type { Transaction } from '../store/store.ts'
import { decided, prepare } from './decide.ts'
import type { Ports } from './ports.ts'

const provision = { kind: 'provision' } as const
const prepared: Prepared = { kind: 'nothing-to-run', outcome: { problems: [] } }
const contract = { name: 'costly', evaluates: true } as Contract
const situation = (parameters: object, now = 0) =>
  ({
    package: { digest: 'sha256:1' },
    parameters,
    now,
    random: () => new Uint8Array(),
  }) as unknown as Situation

/** A store whose transactions are counted, and the times another process was asked outside of them. */
function stage() {
  const seen = { transactions: 0, open: 0, asked: 0 }
  const ports = {
    store: {
      write: async (work: (tx: Transaction) => Promise<unknown>) => {
        seen.transactions++
        seen.open++
        try {
          return await work({} as Transaction)
        } finally {
          seen.open--
        }
      },
    },
    apart: async () => {
      expect(seen.open).toBe(0)
      seen.asked++
      return prepared
    },
  } as unknown as Ports
  return { seen, ports }
}

test('the transaction is left, the answer awaited, and everything decided again', async () => {
  const { seen, ports } = stage()
  let now = 0

  const answer = await decided(ports, (_, inside) =>
    Promise.resolve(prepare(inside, contract, provision, situation({ a: 1 }, now++))),
  )

  expect(answer).toEqual(prepared)
  expect(seen).toEqual({ transactions: 2, open: 0, asked: 1 })
})

test('what changed meanwhile is rehearsed again, but not for ever', async () => {
  const { seen, ports } = stage()
  let change = 0
  const deciding = decided(ports, (_, inside) =>
    Promise.resolve(prepare(inside, contract, provision, situation({ a: change++ }))),
  )

  await expect(deciding).rejects.toMatchObject({ problem: { code: 'instance.busy' } })
  expect(seen).toEqual({ transactions: 10, open: 0, asked: 10 })
})

test('contracts that only compute are asked here, in one transaction', async () => {
  const { seen, ports } = stage()
  const plain = { name: 'plain', prepare: () => prepared } as unknown as Contract

  await decided(ports, (_, inside) => Promise.resolve(prepare(inside, plain, provision, situation({}))))

  expect(seen).toEqual({ transactions: 1, open: 0, asked: 0 })
})
