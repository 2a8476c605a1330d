/** Looks at an icon: only a PNG is shown, because an SVG or HTML in its place would be script in the operator's browser. */

export interface Icon {
  readonly base64: string
  readonly width: number
  readonly height: number
}

const bytesMax = 256 * 1024
const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** Why there is no icon, and what mends it. */
export interface IconFault {
  readonly fault: string
  readonly hint: string
}

const base64Hint = 'Write the whole text that "base64 -w0 icon.png" prints, not its name.'
const pngHint = 'Save it as a PNG of 128x128 pixels.'

/** The icon in a base64 text, or what is wrong with it. */
export function readIcon(text: string): Icon | IconFault {
  const base64 = text.replace(/\s+/g, '')
  const address = /^data:[^,]*,/.exec(base64)?.[0]
  if (address !== undefined) {
    return { fault: 'is a data: address, not base64 alone', hint: `Leave out ${JSON.stringify(address)}.` }
  }
  if (base64 === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) {
    return { fault: 'is not base64', hint: base64Hint }
  }
  if ((base64.length / 4) * 3 > bytesMax + 2) {
    return { fault: `is larger than ${bytesMax} bytes`, hint: pngHint }
  }
  const bytes = Buffer.from(base64, 'base64')
  const isPng = signature.every((byte, i) => bytes[i] === byte) && bytes.toString('latin1', 12, 16) === 'IHDR'
  if (!isPng || bytes.length < 24) return { fault: 'is not a PNG', hint: pngHint }
  const width = bytes.readUInt32BE(16)
  const height = bytes.readUInt32BE(20)
  return width === 0 || height === 0
    ? { fault: 'is an empty picture', hint: pngHint }
    : { base64, width, height }
}
