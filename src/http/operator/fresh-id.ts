/** Ids for new things: random, or the same for the same idempotency key, so that a repeated order is the same order. */
import type { Chance } from '../../kit/clock.ts'
import { uuidOf } from '../../kit/hash.ts'

/** An id in the form of a UUID. */
export function freshId(chance: Chance, account: string, key: string | undefined): string {
  return uuidOf('operator', account, key ?? Buffer.from(chance.bytes(16)).toString('hex'))
}
