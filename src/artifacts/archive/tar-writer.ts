/** Writes tars, the same bytes for the same contents: ustar, with pax headers only where ustar is too small. */
import { blockBytes, type TarEntry, type TarKind } from './tar-header.ts'

const flags: Readonly<Record<TarKind, string>> = {
  file: '0',
  'hard-link': '1',
  link: '2',
  device: '3',
  folder: '5',
  pipe: '6',
}

/** The header of an entry; its body and then tarPadding() follow. Names are byte strings. */
export function tarHeader(entry: TarEntry): Uint8Array {
  const path = entry.kind === 'folder' && !entry.path.endsWith('/') ? `${entry.path}/` : entry.path
  const place = splitPath(path)
  const words: string[] = []
  if (place === undefined) words.push(paxRecord('path', path))
  if (entry.target.length > 100) words.push(paxRecord('linkpath', entry.target))
  if (entry.bytes > 0o77777777777) words.push(paxRecord('size', String(entry.bytes)))
  if (entry.uid > 0o7777777) words.push(paxRecord('uid', String(entry.uid)))
  if (entry.gid > 0o7777777) words.push(paxRecord('gid', String(entry.gid)))
  const own = block(entry, flags[entry.kind], place ?? { prefix: '', name: path.slice(0, 100) })
  if (words.length === 0) return own
  const body = Buffer.from(words.join(''), 'latin1')
  const pax: TarEntry = { ...entry, bytes: body.length, mode: 0o644, target: '', uid: 0, gid: 0 }
  const head = block(pax, 'x', { prefix: '', name: 'PaxHeader' })
  return Buffer.concat([head, body, tarPadding(body.length), own])
}

/** The zeros that fill the last block of a body. */
export function tarPadding(bytes: number): Uint8Array {
  return new Uint8Array((blockBytes - (bytes % blockBytes)) % blockBytes)
}

/** The two empty blocks at the end. */
export function tarEnd(): Uint8Array {
  return new Uint8Array(2 * blockBytes)
}

function block(
  entry: TarEntry,
  flag: string,
  { prefix, name }: { readonly prefix: string; readonly name: string },
): Buffer {
  const bytes = Buffer.alloc(blockBytes)
  bytes.write(name, 0, 100, 'latin1')
  bytes.write(octal(entry.mode, 7), 100, 'latin1')
  bytes.write(octal(entry.uid > 0o7777777 ? 0 : entry.uid, 7), 108, 'latin1')
  bytes.write(octal(entry.gid > 0o7777777 ? 0 : entry.gid, 7), 116, 'latin1')
  bytes.write(octal(entry.bytes > 0o77777777777 ? 0 : entry.bytes, 11), 124, 'latin1')
  bytes.write(octal(Math.max(0, Math.floor(entry.mtime)), 11), 136, 'latin1')
  bytes.write(`        ${flag}`, 148, 'latin1')
  bytes.write(entry.target.slice(0, 100), 157, 100, 'latin1')
  bytes.write('ustar\u000000', 257, 'latin1')
  bytes.write(prefix, 345, 155, 'latin1')
  let sum = 0
  for (const byte of bytes) sum += byte
  bytes.write(`${octal(sum, 6)}\u0000 `, 148, 'latin1')
  return bytes
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}

/** ustar keeps up to 155 bytes of folders and 100 bytes of name apart. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } | undefined {
  if (path.length <= 100) return { prefix: '', name: path }
  if (path.length > 256) return undefined
  const slash = path.indexOf('/', path.length - 101)
  if (slash <= 0 || slash > 155 || slash === path.length - 1) return undefined
  return { prefix: path.slice(0, slash), name: path.slice(slash + 1) }
}

/** `LENGTH KEY=VALUE\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  let length = rest.length
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return `${length}${rest}`
}
