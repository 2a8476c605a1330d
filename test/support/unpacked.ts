/** What a packed tar (gzip) holds, as texts by the names of its files. */
import { gunzipSync } from 'node:zlib'

export function unpacked(bytes: Uint8Array): ReadonlyMap<string, string> {
  const tar = gunzipSync(bytes)
  const files = new Map<string, string>()
  for (let at = 0; tar[at] !== 0 && at < tar.length; ) {
    const word = (from: number, length: number) =>
      tar
        .subarray(at + from, at + from + length)
        .toString()
        .replace(/\0.*$/s, '')
    const size = Number.parseInt(word(124, 11), 8)
    const body = at + 512
    files.set(word(0, 100).replace(/^[^/]*\//, ''), tar.subarray(body, body + size).toString())
    at = body + Math.ceil(size / 512) * 512
  }
  return files
}
