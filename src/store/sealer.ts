/** Seals and unseals for one cluster: the ring, the chance and the cluster's id in one hand. */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { Chance } from '../kit/clock.ts'
import { sha256 } from '../kit/hash.ts'
import { fail, ProblemError } from '../model/problem.ts'
import {
  type Envelope,
  keyOf,
  rewrap,
  sealBytes,
  tenantIdBytes,
  unsealBytes,
  type Wrapping,
} from './envelope.ts'
import type { KeyRing } from './keys.ts'

/** Seals and opens what belongs together. */
export interface Seals {
  seal(owner: string, name: string, content: Uint8Array): Envelope
  unseal(owner: string, name: string, envelope: Envelope): Uint8Array
  rewrap(owner: string, name: string, envelope: Envelope): Envelope
}

/** Without a tenant: seals with the keys of the ring alone. */
export interface Sealer extends Seals {
  /** The key everything should be sealed with. */
  active(): string
  /** Keys of the ring that only open. */
  others(): readonly string[]
  /** For what belongs to a tenant; opens also what was sealed before the tenant had a key. */
  within(key: TenantKey): Seals
  /** A secret that nothing is sealed with yet. */
  makeTenantKey(tenant: string): TenantKey
  /** Wraps the secret of a tenant with the active key. */
  rewrapTenantKey(key: TenantKey): TenantKey
  /** Lets go of the secrets of tenants that were opened: they may have been erased. */
  forgetTenants(): void
}

/** The secret of a tenant as it is kept: sealed with the ring. */
export interface TenantKey {
  readonly tenant: string
  /** Names it in what is sealed with it; no two have the same. */
  readonly id: string
  readonly sealed: Envelope
}

const tenantOwner = 'tenant'
const secretBytes = 32
/** Of more tenants at once the keys are derived anew, which takes some microseconds. */
const derivedMax = 2000

/** What binds a record to its cluster, owner and name. */
export function placeOf(cluster: string, owner: string, name: string): string {
  return JSON.stringify([cluster, owner, name])
}

/** Binds every record to its cluster, owner and name. */
export function makeSealer(keys: KeyRing, chance: Chance, cluster: string): Sealer {
  const derived = new Map<string, KeyObject>()
  const sealing = (wrapping: Wrapping & Pick<KeyRing, 'active'>): Seals => {
    const place = (owner: string, name: string): string => placeOf(cluster, owner, name)
    return {
      seal: (owner, name, content) => sealBytes(wrapping, chance, place(owner, name), content),
      unseal: (owner, name, envelope) => unsealBytes(wrapping, place(owner, name), envelope),
      rewrap: (owner, name, envelope) => rewrap(wrapping, chance, place(owner, name), envelope),
    }
  }
  const ring = sealing(keys)
  return {
    ...ring,
    active: () => keys.active(),
    others: () => keys.ids().filter((id) => id !== keys.active()),
    within: (key) => {
      const derive = (id: string): KeyObject => {
        const by = keyOf(keys, id)
        const known = JSON.stringify([key.tenant, key.id, id])
        const made =
          derived.get(known) ?? deriveKey(by, openSecret(ring, key), placeOf(cluster, ...nameOf(key)))
        // The one that was used longest ago makes room.
        derived.delete(known)
        derived.set(known, made)
        const [oldest = known] = derived.keys()
        if (derived.size > derivedMax) derived.delete(oldest)
        return made
      }
      const tenant = { id: Buffer.from(key.id, 'hex'), derive }
      return sealing({ find: (id) => keys.find(id), active: () => keys.active(), tenant })
    },
    makeTenantKey: (tenant) => {
      const id = Buffer.from(chance.bytes(tenantIdBytes)).toString('hex')
      return { tenant, id, sealed: ring.seal(...nameOf({ tenant, id }), chance.bytes(secretBytes)) }
    },
    rewrapTenantKey: (key) => ({ ...key, sealed: ring.rewrap(...nameOf(key), key.sealed) }),
    forgetTenants: () => derived.clear(),
  }
}

/** The secret is bound to the name of its tenant: a row that was renamed by hand does not open. */
function nameOf({ tenant, id }: Pick<TenantKey, 'tenant' | 'id'>): [owner: string, name: string] {
  return [tenantOwner, JSON.stringify([tenant, id])]
}

/** Problems: key.missing, key.foreign. */
function openSecret(ring: Seals, key: TenantKey): Uint8Array {
  try {
    return ring.unseal(...nameOf(key), key.sealed)
  } catch (cause) {
    if (!(cause instanceof ProblemError) || cause.problem.code !== 'key.wrong') throw cause
    return fail('key.foreign', `the key that tenant ${key.tenant} has does not open as its own`, { cause })
  }
}

/**
 * Both are needed: a key of the ring that leaked opens nothing of an erased tenant, nor the secret anything without the ring.
 * The place is hashed, for the name of a tenant may be longer than what the derivation takes.
 */
function deriveKey(ring: KeyObject, secret: Uint8Array, place: string): KeyObject {
  const info = `chandler tenant ${sha256(place)}`
  return createSecretKey(Buffer.from(hkdfSync('sha256', ring, secret, info, secretBytes)))
}
