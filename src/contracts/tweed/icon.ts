/** Looks at an icon: only a PNG is shown, because an SVG or HTML in its place would be script in the operator's browser. */

export interface Icon {
  readonly base64: string
  readonly width: number
  readonly height: number
}

const bytesMax = 256 * 1024
const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** The icon in a base64 text, or what is wrong with it. */
export function readIcon(text: string): Icon | string {
  const base64 = text.replace(/\s+/g, '')
  if (base64 === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) {
    return 'is not base64'
  }
  if ((base64.length / 4) * 3 > bytesMax + 2) return `is larger than ${bytesMax} bytes`
  const bytes = Buffer.from(base64, 'base64')
  const isPng = signature.every((byte, i) => bytes[i] === byte) && bytes.toString('latin1', 12, 16) === 'IHDR'
  if (!isPng || bytes.length < 24) return 'is not a PNG'
  const width = bytes.readUInt32BE(16)
  const height = bytes.readUInt32BE(20)
  return width === 0 || height === 0 ? 'is an empty picture' : { base64, width, height }
}
