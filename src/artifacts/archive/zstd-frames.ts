/** Cuts a zstd stream at the ends of its frames: Node's decoder goes on only with a frame that begins a piece of input. */
import { fail } from '../../model/problem.ts'

const frameMagic = 0xfd2fb528
const skippableMagic = 0x184d2a50
const contentSizeBytes = [0, 2, 4, 8] as const
const dictionaryBytes = [0, 1, 2, 4] as const
const checksumBytes = 4
const blockHeaderBytes = 3

/** What comes next in the stream. */
type State =
  | { readonly kind: 'frame' }
  | { readonly kind: 'block'; readonly hasChecksum: boolean }
  /** Bytes of a block or a checksum: to be handed on, then `then`. */
  | { readonly kind: 'data'; readonly left: number; readonly then: State }
  | { readonly kind: 'skipped'; readonly left: number }

/** The frames with data, none of them in one piece with another; skippable ones are left out. Problems: archive.invalid. */
export async function* zstdFrames(source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let state: State = { kind: 'frame' }
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    // Where the part of the frame begins that was not handed on yet, and how far the stream is read.
    let from = 0
    let at = 0
    for (;;) {
      const step = stepOf(state, rest, at)
      if (step === undefined) break
      const isSkipped = state.kind === 'skipped' || (state.kind === 'frame' && step.state.kind === 'skipped')
      at += step.bytes
      state = step.state
      if (isSkipped) from = at
      else if (state.kind === 'frame') {
        yield rest.subarray(from, at)
        from = at
      }
    }
    if (at > from) yield rest.subarray(from, at)
    rest = rest.subarray(at)
  }
  if (state.kind !== 'frame' || rest.length > 0) fail('archive.invalid', 'the zstd stream is cut off')
}

interface Progress {
  readonly state: State
  readonly bytes: number
}

/** One step onwards; undefined when more input is needed for it. */
function stepOf(state: State, buffer: Buffer, at: number): Progress | undefined {
  const there = buffer.length - at
  switch (state.kind) {
    case 'frame':
      return frameStart(buffer, at)
    case 'block': {
      if (there < blockHeaderBytes) return undefined
      const header = buffer.readUIntLE(at, blockHeaderBytes)
      const type = (header >> 1) & 3
      if (type === 3) return fail('archive.invalid', 'a zstd block of an unknown type')
      const isLast = (header & 1) === 1
      // A run of one byte is written as that byte.
      const size = type === 1 ? 1 : header >> 3
      const left = size + (isLast && state.hasChecksum ? checksumBytes : 0)
      return { bytes: blockHeaderBytes, state: dataOf(left, isLast ? { kind: 'frame' } : state) }
    }
    case 'skipped':
    case 'data': {
      if (there === 0) return undefined
      const bytes = Math.min(there, state.left)
      const left = state.left - bytes
      if (state.kind === 'data') return { bytes, state: dataOf(left, state.then) }
      return { bytes, state: left === 0 ? { kind: 'frame' } : { kind: 'skipped', left } }
    }
  }
}

function dataOf(left: number, then: State): State {
  return left === 0 ? then : { kind: 'data', left, then }
}

function frameStart(buffer: Buffer, at: number): Progress | undefined {
  const there = buffer.length - at
  if (there < 5) return undefined
  const magic = buffer.readUInt32LE(at)
  if ((magic & 0xfffffff0) >>> 0 === skippableMagic) {
    if (there < 8) return undefined
    const left = buffer.readUInt32LE(at + 4)
    return { bytes: 8, state: left === 0 ? { kind: 'frame' } : { kind: 'skipped', left } }
  }
  if (magic !== frameMagic) return fail('archive.invalid', 'what should be a zstd frame is none')
  const flags = buffer[at + 4] ?? 0
  const isSingle = (flags & 0x20) !== 0
  const sizeFlag = flags >> 6
  const contentSize = sizeFlag === 0 && isSingle ? 1 : (contentSizeBytes[sizeFlag] ?? 0)
  const bytes = 5 + (isSingle ? 0 : 1) + (dictionaryBytes[flags & 3] ?? 0) + contentSize
  return there < bytes ? undefined : { bytes, state: { kind: 'block', hasChecksum: (flags & 4) !== 0 } }
}
