/** Signs with keys that are made of those of the ring, one for each purpose: the ring's own keys seal records. */
import { createHmac, hkdfSync } from 'node:crypto'
import type { Signer } from '../http/sessions.ts'
import type { KeyRing } from '../store/keys.ts'

export type SigningPurpose = 'sessions of people' | 'grants of the machine' | 'logins under way'

export function signerOf(ring: Pick<KeyRing, 'active' | 'find'>, purpose: SigningPurpose): Signer {
  return {
    active: ring.active,
    sign(id, text) {
      const key = ring.find(id)
      if (key === undefined) return undefined
      const derived = Buffer.from(hkdfSync('sha256', key, '', purpose, 32))
      return createHmac('sha256', derived).update(text).digest('base64url')
    },
  }
}
