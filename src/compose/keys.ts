/** Keys from the outside: how far sealing is, and a fresh key that everything is sealed with anew. */
import type { Keys } from '../api/cluster.ts'
import type { Chance, Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { activateKey, addKey, type KeyRing, removeKey } from '../store/keys.ts'
import type { Store } from '../store/store.ts'

export interface KeyMaster {
  status(): Promise<Keys>
  /** Adds a key that opens only, until it is activated; the same seed adds one key. */
  add(seed: string): Promise<Keys>
  /** Makes a key of the ring the one that seals; what is sealed follows in the background. Problems: key.unknown. */
  activate(id: string): Promise<Keys>
  /** Takes a key off the ring once nothing is sealed with it. Problems: key.unknown, key.in-use. */
  remove(id: string): Promise<Keys>
  /** Adds a key and activates it; the same seed adds one key. */
  rotate(seed: string): Promise<Keys>
  /** Goes on with what an earlier process left unfinished. */
  resume(): void
  stop(): Promise<void>
}

export interface KeyMasterParts {
  readonly store: Store
  readonly ring: KeyRing
  readonly file: string
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  /** Tells the other nodes at once which key this one seals with. */
  readonly announce: () => Promise<void>
}

/** How many records are sealed anew in one transaction, and how long the others then have the store to themselves. */
const batch = 200
const pauseMs = 20

export function makeKeyMaster(parts: KeyMasterParts): KeyMaster {
  const { store, ring, file, clock, chance, log, announce } = parts
  const leaving = new AbortController()
  let sealing: Promise<void> = Promise.resolve()

  const status = async (): Promise<Keys> => {
    const records = await store.look.sealedByKey()
    const active = ring.active()
    const ids = [...new Set([...ring.ids(), ...records.map((one) => one.key)])]
    const keys = ids.map((id) => ({
      id,
      active: id === active,
      records: records.find((one) => one.key === id)?.records ?? 0,
    }))
    return { active, keys }
  }

  async function sealAll(): Promise<void> {
    const { active, keys } = await status()
    if (keys.every((key) => key.id === active || key.records === 0)) return
    while (!leaving.signal.aborted && (await store.reseal(batch)) > 0) {
      await clock.sleep(pauseMs, leaving.signal)
    }
    if (!leaving.signal.aborted)
      log.info('key.rotated', 'Everything is sealed with the active key', { key: active })
  }

  const resume = () => {
    sealing = sealing
      .then(sealAll)
      .catch((error: unknown) => log.error('key.rotation-failed', 'Sealing anew stopped', { error }))
  }

  async function activate(id: string): Promise<Keys> {
    activateKey(file, id)
    await store.takeKeys()
    await announce()
    resume()
    return status()
  }

  return {
    status,
    resume,
    activate,
    async add(seed) {
      const added = addKey(file, chance, seed)
      await store.takeKeys()
      return { ...(await status()), added }
    },
    async remove(id) {
      await store.retireKey(id, () => removeKey(file, id))
      await store.takeKeys()
      return status()
    },
    async rotate(seed) {
      const added = addKey(file, chance, seed)
      return { ...(await activate(added)), added }
    },
    async stop() {
      leaving.abort()
      await sealing
    },
  }
}
