/**
 * A POST with an Idempotency-Key is carried out once. The key is taken in the transaction of the order itself, so that
 * neither is there without the other, on whichever node the repetition arrives.
 */
import { sha256 } from '../../kit/hash.ts'
import { canonical, isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'
import type { IdempotencyRow, Store, Transaction } from '../../store/store.ts'
import type { OperatorPorts } from './ports.ts'
import { type Answer, document, nothing } from './route.ts'

export interface Repeatable {
  readonly account: string
  readonly key: string
  readonly path: string
  readonly body: unknown
  /** Of a success. */
  readonly status: number
  /** Nothing is kept of its answer. */
  readonly anew: boolean
}

export interface Idempotency {
  /** Carries out what was not asked for before; else the answer of then. Problems: idempotency.mismatch, idempotency.in-flight. */
  once(
    ports: OperatorPorts,
    asked: Repeatable,
    carryOut: (ports: OperatorPorts) => Promise<Answer>,
  ): Promise<Answer>
}

/** Makes the memory of what one process is carrying out. */
export function makeIdempotency(): Idempotency {
  const underWay = new Set<string>()
  return {
    async once(ports, asked, carryOut) {
      const { store } = ports.broker
      const { account: scope, key, status, path, body, anew } = asked
      const id = JSON.stringify([scope, key])
      if (underWay.has(id)) return fail('idempotency.in-flight')
      underWay.add(id)
      try {
        const fingerprint = sha256(canonical([path, (body ?? null) as Json]))
        const known = await store.look.idempotent(scope, key)
        if (known !== undefined) {
          if (known.fingerprint !== fingerprint) return fail('idempotency.mismatch')
          return anew ? await carryOut(ports) : await again(store, known)
        }
        const row: IdempotencyRow = { scope, key, fingerprint, status, body: {} }
        const broker = { ...ports.broker, store: claiming(store, row) }
        const answer = await carryOut({ ...ports, broker })
        if (answer.kind !== 'document' || anew) return answer
        await store.write((tx) => tx.putIdempotent({ ...row, body: answer.body as JsonObject }))
        return answer
      } finally {
        underWay.delete(id)
      }
    },
  }
}

/** A store whose first transaction takes the key, too. */
function claiming(store: Store, row: IdempotencyRow): Store {
  let isTaken = false
  return {
    ...store,
    async write<T>(
      work: (tx: Transaction) => Promise<T>,
      manner?: Parameters<Store['write']>[1],
    ): Promise<T> {
      if (isTaken) return store.write(work, manner)
      const result = await store.write(async (tx) => {
        const made = await work(tx)
        const mine = await tx.claimIdempotent({ ...row, ...present({ operation: operationIn(made) }) })
        return mine ? made : fail('idempotency.in-flight')
      }, manner)
      isTaken = true
      return result
    },
  }
}

/** The operation that an order began, as the broker's verbs answer it. */
function operationIn(made: unknown): string | undefined {
  if (typeof made === 'string') return made
  const operation = isObject(made) ? made['operation'] : undefined
  return typeof operation === 'string' ? operation : undefined
}

async function again(
  { look }: Pick<Store, 'look'>,
  { body, operation, status }: IdempotencyRow,
): Promise<Answer> {
  if (Object.keys(body).length > 0) return document(body)
  // The process ended between its order and its answer.
  const begun = operation === undefined ? undefined : await look.operation(operation)
  if (begun !== undefined) return document({ ...begun.target, operation: begun.id })
  return status === 204 ? nothing : document({})
}
