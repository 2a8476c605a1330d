/** Seals and unseals for one cluster: the ring, the chance and the cluster's id in one hand. */
import type { Chance } from '../kit/clock.ts'
import { type Envelope, rewrap, sealBytes, unsealBytes } from './envelope.ts'
import type { KeyRing } from './keys.ts'

export interface Sealer {
  seal(owner: string, name: string, content: Uint8Array): Envelope
  unseal(owner: string, name: string, envelope: Envelope): Uint8Array
  rewrap(owner: string, name: string, envelope: Envelope): Envelope
  /** The key everything should be sealed with. */
  active(): string
  /** Keys of the ring that only open. */
  others(): readonly string[]
}

/** What binds a record to its cluster, owner and name. */
export function placeOf(cluster: string, owner: string, name: string): string {
  return JSON.stringify([cluster, owner, name])
}

/** Binds every record to its cluster, owner and name. */
export function makeSealer(keys: KeyRing, chance: Chance, cluster: string): Sealer {
  const place = (owner: string, name: string): string => placeOf(cluster, owner, name)
  return {
    seal: (owner, name, content) => sealBytes(keys, chance, place(owner, name), content),
    unseal: (owner, name, envelope) => unsealBytes(keys, place(owner, name), envelope),
    rewrap: (owner, name, envelope) => rewrap(keys, chance, place(owner, name), envelope),
    active: () => keys.active(),
    others: () => keys.ids().filter((id) => id !== keys.active()),
  }
}
