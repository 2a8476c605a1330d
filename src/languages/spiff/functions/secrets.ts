/** Encoding, digests, password hashes, and the legacy encryption of values. */

import { compareSync, encodeBase64, hashSync } from 'bcryptjs'
import { concat, fromBase64, toBase64 } from '../../../kit/bytes.ts'
import type { Budget } from '../budget.ts'
import { digestBytes, digestHex, x25519Public } from '../crypto.ts'
import { type Call, effect, type SpiffFunction } from '../env.ts'
import { bytesOf, goQuote, textOf } from '../go-text.ts'
import { failure } from '../issue.ts'
import { openText, sealText } from '../legacy-cipher.ts'
import type { Value } from '../value.ts'
import { DocumentFault, readDocument } from '../yaml-read.ts'
import { writeYaml } from '../yaml-write.ts'
import { count, text } from './arguments.ts'
import { randomBytes } from './random.ts'
import { base64Lines } from './read-mode.ts'

export const secretFunctions: readonly (readonly [string, SpiffFunction])[] = [
  ['base64', base64],
  ['base64_decode', base64Decode],
  ['md5', md5],
  ['hash', hash],
  ['bcrypt', bcrypt],
  ['bcrypt_check', bcryptCheck],
  ['md5crypt', md5crypt],
  ['md5crypt_check', md5cryptCheck],
  ['encrypt', encrypt],
  ['decrypt', decrypt],
  ['wggenkey', wireguardKey],
  ['wgpublickey', wireguardPublicKey],
]

function subject(call: Call): Uint8Array {
  return bytesOf(text(call.args[0], `first argument for ${call.name} must be a string`))
}

function base64(call: Call): Value {
  count(call, 1, 2, 'base64 takes one or two arguments')
  const bytes = bytesOf(text(call.args[0], 'first argument for base64 must be a string'))
  call.env.run.budget.text(bytes.length * 2)
  const [, width] = call.args
  if (width === undefined) return base64Lines(bytes, 0)
  const columns = typeof width === 'string' && /^[0-9]+$/.test(width) ? BigInt(width) : width
  if (typeof columns !== 'bigint')
    return failure(`second argument for base64 must be an integer or interger string${notNumber(width)}`)
  return base64Lines(bytes, Number(columns))
}

function notNumber(width: Value): string {
  return typeof width === 'string' ? `: strconv.ParseInt: parsing ${goQuote(width)}: invalid syntax` : ''
}

function base64Decode(call: Call): Value {
  count(call, 1, 1, 'base64_decode takes exactly one argument')
  const given = text(call.args[0], 'first argument for base64_decode must be a string').replace(/[\r\n]/g, '')
  if (given.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(given)) return failure('cannot decode string')
  return textOf(fromBase64(given))
}

const algorithms: Readonly<Record<string, string>> = {
  md5: 'md5',
  sha1: 'sha1',
  sha224: 'sha224',
  sha256: 'sha256',
  sha384: 'sha384',
  sha512: 'sha512',
  'sha512/224': 'sha512-224',
  'sha512/256': 'sha512-256',
}

function md5(call: Call): Value {
  count(call, 1, 1, 'md5 takes exactly one argument')
  return digestHex('md5', subject(call))
}

function hash(call: Call): Value {
  count(call, 1, 2, 'hash takes one or two arguments')
  const bytes = subject(call)
  const type = text(
    call.args[1] ?? (call.args.length > 1 ? null : 'sha256'),
    'second argument for hash must be a string',
  )
  // The original's md4 is no digest, and the platform has none: an error is better than a wrong value.
  if (type === 'md4') return failure("hash type 'md4' is not supported")
  const algorithm = Object.hasOwn(algorithms, type) ? algorithms[type] : undefined
  return algorithm === undefined ? failure(`invalid hash type '${type}'`) : digestHex(algorithm, bytes)
}

/** What one round of the hash costs, in characters looked at. */
const bcryptWork = 10_000

function bcrypt(call: Call): Value {
  count(call, 1, 2, 'bcrypt takes one or two arguments')
  const password = text(call.args[0], 'first argument for bcrypt must be a string')
  const [, given = 10n] = call.args
  if (typeof given !== 'bigint') return failure('second argument for bcrypt must be an integer')
  const cost = given < 4n ? 10 : Number(given)
  if (cost > 31) return failure(`bcrypt error: crypto/bcrypt: cost ${cost} is outside allowed range (4,31)`)
  const { bcryptCostMax } = call.env.run.budget.limits
  if (cost > bcryptCostMax)
    return failure(`bcrypt error: cost ${cost} is higher than allowed here (${bcryptCostMax})`)
  return effect(call.env, () => {
    call.env.run.budget.work(bcryptWork * 2 ** cost)
    const salt = encodeBase64(Array.from(randomBytes(call.env, 16, 'bcrypt')), 16)
    return hashSync(password, `$2a$${String(cost).padStart(2, '0')}$${salt}`)
  })
}

function bcryptCheck(call: Call): Value {
  count(call, 2, 2, 'bcrypt_check takes exactly two arguments')
  const password = text(call.args[0], 'first argument for bcrypt_check must be a string')
  const known = text(call.args[1], 'second argument for bcrypt_check must be a string')
  const cost = /^\$2[aby]\$([0-9]{2})\$[./A-Za-z0-9]{53}$/.exec(known)?.[1]
  if (cost === undefined) return false
  const { bcryptCostMax } = call.env.run.budget.limits
  if (Number(cost) > bcryptCostMax)
    return failure(`bcrypt error: cost ${Number(cost)} is higher than allowed here (${bcryptCostMax})`)
  call.env.run.budget.work(bcryptWork * 2 ** Number(cost))
  return compareSync(password, known)
}

const cryptSigns = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function md5crypt(call: Call): Value {
  count(call, 1, 1, 'md5crypt takes exactly one argument')
  const password = text(call.args[0], 'first argument for md5crypt must be a string')
  return effect(call.env, () => {
    const salt = Array.from(randomBytes(call.env, 8, 'md5crypt'), (byte) => cryptSigns[byte & 63]).join('')
    return apr1(password, salt, call.env.run.budget)
  })
}

function md5cryptCheck(call: Call): Value {
  count(call, 2, 2, 'md5crypt_check takes exactly two arguments')
  const password = text(call.args[0], 'first argument for md5crypt_check must be a string')
  const known = text(call.args[1], 'second argument for md5crypt_check must be a string')
  const [, kind, salt, digest, more] = known.split('$')
  if (digest === undefined || more !== undefined || kind === undefined || salt === undefined)
    return failure("invalid md5crypt hash: must contain three '$' characters")
  return apr1(password, salt, call.env.run.budget) === known
}

const md5cryptRounds = 1000

/** Apache's variant of MD5 crypt: a thousand rounds of the platform's MD5. */
function apr1(password: string, salt: string, budget: Budget): string {
  const secret = bytesOf(password)
  const seed = bytesOf(salt.slice(0, 8))
  const mixed = digestBytes('md5', concat(secret, seed, secret))
  const parts: Uint8Array[] = [secret, bytesOf('$apr1$'), seed, secret.map((_, i) => mixed[i % 16] ?? 0)]
  for (let left = secret.length; left > 0; left >>= 1)
    parts.push((left & 1) === 1 ? new Uint8Array([0]) : secret.subarray(0, 1))
  let final = digestBytes('md5', concat(...parts))
  for (let round = 0; round < md5cryptRounds; round++) {
    budget.work(2 * secret.length)
    const odd = (round & 1) === 1
    final = digestBytes(
      'md5',
      concat(
        odd ? secret : final,
        round % 3 === 0 ? new Uint8Array() : seed,
        round % 7 === 0 ? new Uint8Array() : secret,
        odd ? final : secret,
      ),
    )
  }
  return `$apr1$${salt}$${cryptText(final)}`
}

function cryptText(final: Uint8Array): string {
  const byte = (i: number): number => final[i] ?? 0
  const triples = [
    [0, 6, 12],
    [1, 7, 13],
    [2, 8, 14],
    [3, 9, 15],
    [4, 10, 5],
  ]
  const head = triples.map(([a = 0, b = 0, c = 0]) => signs((byte(a) << 16) | (byte(b) << 8) | byte(c), 4))
  return head.join('') + signs(byte(11), 2)
}

function signs(value: number, length: number): string {
  return Array.from({ length }, (_, i) => cryptSigns[(value >> (6 * i)) & 63]).join('')
}

function passwordOf(call: Call): string {
  const [, given, method = '3DES'] = call.args
  const password =
    given === undefined
      ? (call.env.run.ports.encryptionKey ?? '')
      : text(given, `second argument for ${call.name} must be a string`)
  if (password === '') return failure('invalid empty encyption key')
  if (method !== '3DES') return failure(`invalid encyption method "${String(method)}"`)
  return password
}

function encrypt(call: Call): Value {
  count(call, 1, 3, 'encrypt takes one to three arguments')
  const password = passwordOf(call)
  return effect(call.env, () =>
    sealText(writeYaml(call.args[0] ?? null), password, randomBytes(call.env, 8, 'encrypt')),
  )
}

function decrypt(call: Call): Value {
  count(call, 1, 3, 'decrypt takes one to three arguments')
  const given = text(call.args[0], 'first argument for decrypt must be a string')
  const opened = openText(given, passwordOf(call))
  if ('fault' in opened) return failure(opened.fault)
  try {
    return readDocument(opened.text, 'decrypt', call.env.run.budget.limits).value
  } catch (error) {
    if (error instanceof DocumentFault) return failure(`invalid key: ${error.message}`)
    throw error
  }
}

function wireguardKey(call: Call): Value {
  count(call, 0, 1, 'wggenkey takes a maximum of one argument')
  const [kind = 'private'] = call.args
  if (typeof kind !== 'string') return failure('argument for wggenkey must be a string')
  if (kind !== 'private' && kind !== 'preshared')
    return failure(`invalid key type "${kind}", use private or preshared`)
  return effect(call.env, () => {
    const key = Uint8Array.from(randomBytes(call.env, 32, 'wggenkey'))
    if (kind === 'private') {
      key[0] = (key[0] ?? 0) & 248
      key[31] = ((key[31] ?? 0) & 127) | 64
    }
    return toBase64(key)
  })
}

function wireguardPublicKey(call: Call): Value {
  count(call, 1, 1, 'wgpublickey takes exactly one argument')
  const given = text(call.args[0], 'argument for wgpublickey must be a string')
  const fault = `error parsing key "${given}": `
  const odd = given.search(/[^A-Za-z0-9+/=]/)
  if (odd >= 0 || given.length % 4 !== 0)
    return failure(
      `${fault}failed to parse base64-encoded key: illegal base64 data at input byte ${Math.max(odd, 0)}`,
    )
  const key = fromBase64(given)
  if (key.length !== 32) return failure(`${fault}incorrect key size: ${key.length}`)
  return toBase64(x25519Public(key))
}
