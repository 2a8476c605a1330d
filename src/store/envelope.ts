/**
 * The envelope around a sealed record: a fresh data key per record, wrapped by a key of the ring or by what that key and the
 * secret of a tenant make together (AES-256-GCM).
 */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import type { Chance } from '../kit/clock.ts'
import { fail, ProblemError } from '../model/problem.ts'
import type { KeyRing } from './keys.ts'

/**
 * What is kept: head · nonce, wrapped data key, tag · nonce, ciphertext, tag. The head is the version, and of version 2 the
 * id of the tenant's key.
 */
export interface Envelope {
  readonly key: string
  readonly body: Uint8Array
}

/** What wraps the keys of records: a ring, and for what belongs to a tenant what its secret makes of each key of the ring. */
export interface Wrapping extends Pick<KeyRing, 'find'> {
  readonly tenant?: {
    readonly id: Uint8Array
    /** Problems: key.missing, key.foreign. */
    derive(id: string): KeyObject
  }
}

/** How long the id of a tenant's key is. */
export const tenantIdBytes = 16

const ofRing = 1
const ofTenant = 2
const nonceBytes = 12
const tagBytes = 16
const dataKeyBytes = 32
const wrappedBytes = nonceBytes + dataKeyBytes + tagBytes

/** Seals with the active key; `place` binds the record to where it is kept, so that rows cannot be swapped. */
export function sealBytes(
  keys: Wrapping & Pick<KeyRing, 'active'>,
  chance: Chance,
  place: string,
  content: Uint8Array,
): Envelope {
  const key = keys.active()
  const head = headOf(keys)
  // One call for all the randomness there is: it costs more than what it brings.
  const random = chance.bytes(dataKeyBytes + 2 * nonceBytes)
  const dataKey = random.subarray(0, dataKeyBytes)
  const body = Buffer.concat([
    head,
    encrypt(
      wrapperOf(keys, key, head),
      random.subarray(dataKeyBytes + nonceBytes),
      `${key}\n${place}`,
      dataKey,
    ),
    encrypt(createSecretKey(dataKey), random.subarray(dataKeyBytes, -nonceBytes), place, content),
  ])
  return { key, body }
}

/** Opens a record. Problems: key.missing, key.wrong, key.foreign. */
export function unsealBytes(keys: Wrapping, place: string, envelope: Envelope): Uint8Array {
  const head = readHead(keys, envelope)
  const dataKey = createSecretKey(dataKeyOf(keys, place, envelope, head))
  return decrypt(dataKey, place, envelope.body.subarray(head.length + wrappedBytes))
}

/**
 * Wraps the record's data key with the active key, and with the tenant's where it was wrapped without; the content is not
 * touched. Problems: key.missing, key.wrong, key.foreign.
 */
export function rewrap(
  keys: Wrapping & Pick<KeyRing, 'active'>,
  chance: Chance,
  place: string,
  envelope: Envelope,
): Envelope {
  const key = keys.active()
  const before = readHead(keys, envelope)
  const dataKey = dataKeyOf(keys, place, envelope, before)
  const head = headOf(keys)
  const body = Buffer.concat([
    head,
    encrypt(wrapperOf(keys, key, head), chance.bytes(nonceBytes), `${key}\n${place}`, dataKey),
    envelope.body.subarray(before.length + wrappedBytes),
  ])
  return { key, body }
}

function headOf({ tenant }: Wrapping): Uint8Array {
  return tenant === undefined ? Buffer.of(ofRing) : Buffer.concat([Buffer.of(ofTenant), tenant.id])
}

/** The head of an envelope, if these keys are those it names. Problems: key.wrong, key.foreign. */
function readHead(keys: Wrapping, { body }: Envelope): Uint8Array {
  const version = body[0]
  if (version === ofRing) return body.subarray(0, 1)
  if (version !== ofTenant) fail('key.wrong', `a record is sealed in the unknown format ${version}`)
  if (keys.tenant === undefined)
    fail(
      'key.foreign',
      'a record is sealed for a tenant, and what the record belongs to has no tenant with a key',
    )
  const head = body.subarray(0, 1 + tenantIdBytes)
  if (Buffer.compare(head, headOf(keys)) !== 0)
    fail('key.foreign', 'a record is sealed with another key than its tenant has')
  return head
}

function wrapperOf(keys: Wrapping, id: string, head: Uint8Array): KeyObject {
  return keys.tenant === undefined || head[0] === ofRing ? keyOf(keys, id) : keys.tenant.derive(id)
}

function dataKeyOf(keys: Wrapping, place: string, { key, body }: Envelope, head: Uint8Array): Uint8Array {
  const wrapped = body.subarray(head.length, head.length + wrappedBytes)
  return decrypt(wrapperOf(keys, key, head), `${key}\n${place}`, wrapped)
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
