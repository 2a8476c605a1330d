/** This process among those of the broker: the row that says so, and the keys that all of them share. */
import type { Ports } from '../broker/ports.ts'
import { startFileWatch } from '../host/file-watch.ts'
import type { Log } from '../kit/log.ts'
import { keyFileOf } from '../settings/data-folder.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyRing } from '../store/keys.ts'
import { type KeyMaster, makeKeyMaster } from './keys.ts'
import { startPresence } from './presence.ts'

export interface OwnNode {
  readonly keys: KeyMaster
  /** Says to the others that this process is on its way out. */
  drain(): Promise<void>
  stop(): Promise<void>
}

interface NodeParts {
  readonly ports: Pick<Ports, 'store' | 'clock' | 'chance' | 'node'>
  readonly log: Log
  readonly ring: KeyRing
  readonly version: string
}

const ringEveryMs = 5000

/** Registers this process; from now on it takes over a key ring that was changed. */
export async function openNode(settings: Settings, parts: NodeParts): Promise<OwnNode> {
  const { log, ring, version } = parts
  const { store, clock, chance, node } = parts.ports
  const activeKey = () => ring.active()
  const presence = await startPresence({ store, clock, chance, node, version, log, activeKey })
  const file = keyFileOf(settings)
  const keys = makeKeyMaster({ store, ring, file, clock, chance, log, announce: presence.announce })
  keys.resume()
  const watch = startFileWatch({
    clock,
    everyMs: ringEveryMs,
    files: () => [file],
    // It may have changed since it was read: the first look finds out.
    since: '',
    changed: async () => {
      if (!(await store.takeKeys())) return
      await presence.announce()
      log.info('key.reloaded', 'The key ring was read again', { active: ring.active() })
      keys.resume()
    },
    refused: (error) => log.error('key.refused', 'The key ring was not taken over', { error }),
  })
  return {
    keys,
    drain: presence.drain,
    async stop() {
      await watch.stop()
      await keys.stop()
      await presence.stop()
    },
  }
}
