/** The door to archives: tar, perhaps compressed, as Base64. */

import { gzipSync } from 'node:zlib'
import { fromBase64 } from '../../../kit/bytes.ts'
import type { Call, SpiffFunction } from '../env.ts'
import { bytesOf } from '../go-text.ts'
import { failure } from '../issue.ts'
import { Dict, List, type Value } from '../value.ts'
import { writeYaml } from '../yaml-write.ts'
import { count, simple } from './arguments.ts'
import { base64Lines } from './read-mode.ts'

export const archiveFunctions: readonly (readonly [string, SpiffFunction])[] = [['archive', archive]]

interface Entry {
  readonly path: string
  readonly mode: number
  readonly content: Uint8Array
}

function archive(call: Call): Value {
  count(call, 1, 2, 'archive takes one or two arguments')
  const [files, kind = 'tar'] = call.args
  if (typeof kind !== 'string') return failure('second argument for archive must be a string')
  if (kind !== 'tar' && kind !== 'targz') return failure(`invalid archive type '${kind}'`)
  const entries = entriesOf(files ?? null)
  call.env.run.budget.text(entries.reduce((sum, { content }) => sum + content.length + 1024, 1024))
  const tar = tarOf(entries, call.env.run.ports.now?.() ?? 0)
  return base64Lines(kind === 'tar' ? tar : new Uint8Array(gzipSync(tar)), 60)
}

/** A map of paths to content, or a list of `{path, mode, content | base64}`. */
function entriesOf(files: Value): readonly Entry[] {
  if (files instanceof Dict)
    return files.keys.map((path) => ({
      path,
      mode: 0o644,
      content: contentOf(files.get(path)?.value ?? null),
    }))
  if (!(files instanceof List)) return failure('first argument for archive must be a map or list')
  return files.cells.map(({ value }, i) => {
    if (!(value instanceof Dict)) return failure(`archive entry ${i} must be a map`)
    const path = (value.get('path') ?? value.get('name'))?.value
    if (typeof path !== 'string' || path === '') return failure(`archive entry ${i} requires a path`)
    const encoded = value.get('base64')?.value
    const content =
      typeof encoded === 'string'
        ? fromBase64(encoded)
        : contentOf((value.get('content') ?? value.get('data'))?.value ?? '')
    return { path, mode: modeOf(value.get('mode')?.value), content }
  })
}

function modeOf(value: Value | undefined): number {
  if (typeof value === 'string' && /^[0-7]+$/.test(value)) return Number.parseInt(value, 8)
  return typeof value === 'bigint' ? Number(value) & 0o7777 : 0o644
}

function contentOf(value: Value): Uint8Array {
  return bytesOf(simple(value) ?? writeYaml(value))
}

/** Everything in an archive begins at a multiple of this. */
const block = 512

function tarOf(entries: readonly Entry[], now: number): Uint8Array {
  const whole = new Uint8Array(
    entries.reduce((sum, { content }) => sum + block * (1 + Math.ceil(content.length / block)), 2 * block),
  )
  let at = 0
  for (const { path, mode, content } of entries) {
    whole.set(headerOf({ path, mode, content }, Math.floor(now / 1000)), at)
    whole.set(content, at + block)
    at += block * (1 + Math.ceil(content.length / block))
  }
  return whole
}

/** A ustar header; the tar library of the house only works asynchronously, which evaluation cannot wait for. */
function headerOf({ path, mode, content }: Entry, seconds: number): Uint8Array {
  const header = new Uint8Array(512)
  const name = bytesOf(path)
  const cut = name.length <= 100 ? 0 : path.indexOf('/', path.length - 101)
  const [prefix, rest] = cut > 0 ? [path.slice(0, cut), path.slice(cut + 1)] : ['', path]
  if (bytesOf(rest).length > 100 || bytesOf(prefix).length > 155)
    return failure(`archive: path too long: ${path}`)
  const octal = (value: number, width: number): string => value.toString(8).padStart(width - 1, '0')
  const write = (text: string, at: number): void => header.set(bytesOf(text), at)
  write(rest, 0)
  write(octal(mode, 8), 100)
  write(octal(0, 8), 108)
  write(octal(0, 8), 116)
  write(octal(content.length, 12), 124)
  write(octal(seconds, 12), 136)
  write('        0', 148)
  write('ustar\u000000', 257)
  write(prefix, 345)
  write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    )}\u0000 `,
    148,
  )
  return header
}
