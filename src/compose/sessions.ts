/** Sessions of people as the operator API needs them: signed by the key ring, ended early where that was asked for. */
import { createHmac, hkdfSync } from 'node:crypto'
import type { OperatorPorts } from '../http/operator/ports.ts'
import { makeSessions, type SessionParts, type Signer } from '../http/sessions.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyRing } from '../store/keys.ts'
import type { Store } from '../store/store.ts'

interface Parts extends Pick<SessionParts, 'named' | 'clock' | 'chance'> {
  readonly ring: Pick<KeyRing, 'active' | 'find'>
  readonly store: Store
  readonly settings: () => Settings
}

/** Opens the sessions of one process. */
export function openSessions({ store, ring, settings, ...parts }: Parts): OperatorPorts['sessions'] {
  const limits = () => {
    const { idle, absolute } = settings().auth.session
    return { idleMs: idle, absoluteMs: absolute }
  }
  const hasEnded = (id: string) => store.look.isSessionEnded(id)
  return {
    ...makeSessions({ ...parts, signer: signerOf(ring), limits, hasEnded }),
    end: (id) => store.write((tx) => tx.endSession(id, limits().absoluteMs)),
  }
}

/** A key of the ring seals records; what signs is another one, made of it. */
function signerOf(ring: Pick<KeyRing, 'active' | 'find'>): Signer {
  return {
    active: ring.active,
    sign(id, text) {
      const key = ring.find(id)
      if (key === undefined) return undefined
      const derived = Buffer.from(hkdfSync('sha256', key, '', 'sessions of people', 32))
      return createHmac('sha256', derived).update(text).digest('base64url')
    },
  }
}
