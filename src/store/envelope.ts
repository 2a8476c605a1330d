/** The envelope around a sealed record: a fresh data key per record, wrapped by a key of the ring (AES-256-GCM). */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import type { Chance } from '../kit/clock.ts'
import { fail, ProblemError } from '../model/problem.ts'
import type { KeyRing } from './keys.ts'

/** What is kept: version byte · nonce, wrapped data key, tag · nonce, ciphertext, tag. */
export interface Envelope {
  readonly key: string
  readonly body: Uint8Array
}

const version = 1
const nonceBytes = 12
const tagBytes = 16
const dataKeyBytes = 32
const wrappedBytes = nonceBytes + dataKeyBytes + tagBytes

/** Seals with the active key; `place` binds the record to where it is kept, so that rows cannot be swapped. */
export function sealBytes(keys: KeyRing, chance: Chance, place: string, content: Uint8Array): Envelope {
  const key = keys.active()
  // One call for all the randomness there is: it costs more than what it brings.
  const random = chance.bytes(dataKeyBytes + 2 * nonceBytes)
  const dataKey = random.subarray(0, dataKeyBytes)
  const body = Buffer.concat([
    Buffer.of(version),
    encrypt(keyOf(keys, key), random.subarray(dataKeyBytes + nonceBytes), `${key}\n${place}`, dataKey),
    encrypt(createSecretKey(dataKey), random.subarray(dataKeyBytes, -nonceBytes), place, content),
  ])
  return { key, body }
}

/** Opens a record. Problems: key.missing, key.wrong. */
export function unsealBytes(keys: Pick<KeyRing, 'find'>, place: string, envelope: Envelope): Uint8Array {
  const dataKey = createSecretKey(dataKeyOf(keys, place, envelope))
  return decrypt(dataKey, place, envelope.body.subarray(1 + wrappedBytes))
}

/** Wraps the record's data key with the active key; the content is not touched. */
export function rewrap(keys: KeyRing, chance: Chance, place: string, envelope: Envelope): Envelope {
  const key = keys.active()
  const body = Buffer.concat([
    Buffer.of(version),
    encrypt(keyOf(keys, key), chance.bytes(nonceBytes), `${key}\n${place}`, dataKeyOf(keys, place, envelope)),
    envelope.body.subarray(1 + wrappedBytes),
  ])
  return { key, body }
}

function dataKeyOf(keys: Pick<KeyRing, 'find'>, place: string, { key, body }: Envelope): Uint8Array {
  if (body[0] !== version) fail('key.wrong', `a record is sealed in the unknown format ${body[0]}`)
  return decrypt(keyOf(keys, key), `${key}\n${place}`, body.subarray(1, 1 + wrappedBytes))
}

/** A key that must be on the ring. Problems: key.missing. */
export function keyOf(keys: Pick<KeyRing, 'find'>, id: string): KeyObject {
  return keys.find(id) ?? fail('key.missing', id)
}

// A key object, for a cipher takes three times as long with the bytes of a key.
function encrypt(key: KeyObject, nonce: Uint8Array, place: string, content: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(place))
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: KeyObject, place: string, sealed: Uint8Array): Uint8Array {
  try {
    const end = sealed.length - tagBytes
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(Buffer.from(place))
    decipher.setAuthTag(sealed.subarray(end))
    const { buffer, byteOffset, byteLength } = decipher.update(sealed.subarray(nonceBytes, end))
    // In this mode nothing is held back; the end only tells whether all of it is genuine.
    decipher.final()
    return new Uint8Array(buffer, byteOffset, byteLength)
  } catch (cause) {
    throw new ProblemError({ code: 'key.wrong', detail: 'a record cannot be opened', cause })
  }
}
