/** Sessions of people as the operator API needs them: signed by the key ring, ended early where that was asked for. */
import type { OperatorPorts } from '../http/operator/ports.ts'
import { makeSessions, type SessionParts } from '../http/sessions.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyRing } from '../store/keys.ts'
import type { Store } from '../store/store.ts'
import { signerOf } from './signing.ts'

interface Parts extends Pick<SessionParts, 'named' | 'person' | 'clock' | 'chance'> {
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
    ...makeSessions({ ...parts, signer: signerOf(ring, 'sessions of people'), limits, hasEnded }),
    end: (id) => store.write((tx) => tx.endSession(id, limits().absoluteMs)),
  }
}
