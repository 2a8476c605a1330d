/** The legacy encryption of texts (3DES with a signature inside), as `encrypt` and the command of the same name write it. */
import { concat, fromHex, toHex } from '../../kit/bytes.ts'
import { digestBytes, hmacSha256, tripleDes } from './crypto.ts'
import { bytesOf, textOf } from './go-text.ts'

const authenticity = 'spiff is a cool tool'
const ivBytes = 8

/** The text as hexadecimal digits; the eight bytes must be random. */
export function sealText(text: string, password: string, iv: Uint8Array): string {
  const plain = bytesOf(text)
  const signed = concat(plain, hmacSha256(authenticity, plain))
  const padding = 8 - (signed.length % 8)
  const bytes = concat(signed, new Uint8Array(padding).fill(padding - 1))
  return toHex(concat(iv, tripleDes('encrypt', { key: cipherKey(password), iv, bytes })))
}

export type Opened = { readonly text: string } | { readonly fault: string }

/** The text again, unless the password or the sealed text is another one. */
export function openText(sealed: string, password: string): Opened {
  const bytes = fromHex(sealed)
  if (bytes.length < 48 || bytes.length % 8 !== 0) return { fault: 'invalid key: ciphertext too short' }
  const signed = tripleDes('decrypt', {
    key: cipherKey(password),
    iv: bytes.subarray(0, ivBytes),
    bytes: bytes.subarray(ivBytes),
  })
  const end = Math.max(0, signed.length - (signed.at(-1) ?? 0) - 1)
  const plain = signed.subarray(0, Math.max(0, end - 32))
  const expected = hmacSha256(authenticity, plain)
  const found = signed.subarray(plain.length, end)
  const same = found.length === expected.length && found.every((byte, i) => byte === expected[i])
  return same ? { text: textOf(plain) } : { fault: 'invalid key: message is not authentic' }
}

/** The first 16 bytes of the password and the MD5 of nothing, used as K1 K2 K1. */
function cipherKey(password: string): Uint8Array {
  const key = concat(bytesOf(password), digestBytes('md5', new Uint8Array())).subarray(0, 16)
  return concat(key, key.subarray(0, 8))
}
