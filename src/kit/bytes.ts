/** Bytes as text and back, on every platform: browsers have no Buffer. */

/** One array after the other. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = []
  // A call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)))
  return btoa(pieces.join(''))
}

/** The bytes of Base64 in either alphabet; what belongs to neither is passed over, and padding ends it. */
export function fromBase64(text: string): Uint8Array {
  const [signs = ''] = text.replace(/[^A-Za-z0-9+/=_-]/g, '').split('=', 1)
  const standard = signs.replaceAll('-', '+').replaceAll('_', '/')
  // A single sign at the end holds no byte.
  const whole = standard.length % 4 === 1 ? standard.slice(0, -1) : standard
  return Uint8Array.from(atob(whole), (sign) => sign.charCodeAt(0))
}

const hexDigits = '0123456789abcdef'

/** Two digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 8192) {
    let piece = ''
    for (const byte of bytes.subarray(at, at + 8192))
      piece += hexDigits.charAt(byte >> 4) + hexDigits.charAt(byte & 15)
    pieces.push(piece)
  }
  return pieces.join('')
}

/** The bytes of pairs of digits, up to what is none. */
export function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1)
  for (let at = 0; at < bytes.length; at++) {
    const high = hexDigits.indexOf(text.charAt(2 * at).toLowerCase())
    const low = hexDigits.indexOf(text.charAt(2 * at + 1).toLowerCase())
    if (high < 0 || low < 0) return bytes.slice(0, at)
    bytes[at] = high * 16 + low
  }
  return bytes
}
