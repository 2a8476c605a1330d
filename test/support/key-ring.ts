/** A key ring of its own for a test. */
import { join } from 'node:path'
import type { Chance } from '../../src/kit/clock.ts'
import { type KeyRing, openKeyRing } from '../../src/store/keys.ts'
import { freshFolder } from './image.ts'

/** A ring with one key, in a file on memory. */
export function makeKeyRing(chance: Chance): KeyRing {
  const ring = openKeyRing(join(freshFolder('keys', 'memory'), 'keys.json'), chance)
  ring.make()
  return ring
}
