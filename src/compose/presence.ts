/** The row that says that this process is there: written at the start, renewed while it lives, draining at the end. */
import type { Chance, Clock } from '../kit/clock.ts'
import { ulid } from '../kit/id.ts'
import type { Log } from '../kit/log.ts'
import type { Store } from '../store/store.ts'

export interface Presence {
  /** Says what is true now without waiting for the next round. */
  announce(): Promise<void>
  drain(): Promise<void>
  stop(): Promise<void>
}

export interface PresenceParts {
  readonly store: Store
  readonly clock: Clock
  readonly chance: Chance
  readonly node: string
  readonly version: string
  readonly log: Log
  /** The key this process seals with. */
  readonly activeKey: () => string
}

const beatMs = 10_000

/** Registers the node and keeps it registered. */
export async function startPresence(parts: PresenceParts): Promise<Presence> {
  const { store, clock, chance, node, version, log, activeKey } = parts
  const startedAt = await store.look.now()
  const boot = ulid(startedAt, chance)
  let draining = false
  const beat = () =>
    store.write(async (tx) => {
      const heartbeatAt = await tx.now()
      const beating = { name: node, boot, version, draining, startedAt, heartbeatAt, activeKey: activeKey() }
      await tx.putNode(beating)
    })
  await beat()
  const leaving = new AbortController()
  const running = (async () => {
    while (!leaving.signal.aborted) {
      await clock.sleep(beatMs, leaving.signal)
      if (leaving.signal.aborted) return
      await beat().catch((error: unknown) =>
        log.warn('node.silent', 'The node could not say that it lives', { error }),
      )
    }
  })()
  return {
    announce: beat,
    async drain() {
      draining = true
      await beat()
    },
    async stop() {
      leaving.abort()
      await running
    },
  }
}
