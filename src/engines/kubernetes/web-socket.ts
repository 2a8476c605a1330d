/** Frames of a WebSocket (RFC 6455), as far as the Kubernetes API sends them and takes them: binary messages on a connection that was upgraded. */
import { systemChance } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'

const opcodes = { continuation: 0, binary: 2, close: 8, ping: 9, pong: 10 } as const
const messageBytesMax = 64 * 1024 * 1024

/** How a length is written: itself, or a mark and two or eight bytes. */
const lengths = { short: 126, long: 127 } as const

/** A frame of a client, masked as the protocol wants it. */
export function clientFrame(opcode: keyof typeof opcodes, body: Uint8Array): Buffer {
  const mask = systemChance.bytes(4)
  const masked = Buffer.from(body)
  for (let i = 0; i < masked.length; i++) masked[i] = (masked[i] ?? 0) ^ (mask[i & 3] ?? 0)
  return Buffer.concat([Buffer.from([0x80 | opcodes[opcode]]), lengthField(body.length), mask, masked])
}

function lengthField(length: number): Buffer {
  if (length < lengths.short) return Buffer.from([0x80 | length])
  if (length < 65_536) return Buffer.from([0x80 | lengths.short, length >> 8, length & 255])
  const field = Buffer.alloc(9)
  field[0] = 0x80 | lengths.long
  field.writeBigUInt64BE(BigInt(length), 1)
  return field
}

export type ServerMessage =
  | { readonly kind: 'data'; readonly bytes: Buffer }
  | { readonly kind: 'ping'; readonly bytes: Buffer }
  | { readonly kind: 'close' }

/** Takes what arrives, in pieces of any size, and answers the messages that are complete. */
export function frameReader(): (piece: Buffer) => readonly ServerMessage[] {
  let rest: Buffer = Buffer.alloc(0)
  let parts: Buffer[] = []
  return (piece) => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const messages: ServerMessage[] = []
    for (let frame = frameAt(rest); frame !== undefined; frame = frameAt(rest)) {
      rest = rest.subarray(frame.end)
      const { opcode, body } = frame
      if (opcode === opcodes.close) messages.push({ kind: 'close' })
      else if (opcode === opcodes.ping) messages.push({ kind: 'ping', bytes: body })
      else if (opcode !== opcodes.pong) parts.push(body)
      if (opcode >= opcodes.close || !frame.isLast) continue
      messages.push({ kind: 'data', bytes: parts.length === 1 ? body : Buffer.concat(parts) })
      parts = []
    }
    return messages
  }
}

interface Frame {
  readonly opcode: number
  readonly isLast: boolean
  readonly body: Buffer
  readonly end: number
}

function frameAt(bytes: Buffer): Frame | undefined {
  const [first = 0, second = 0] = bytes
  const mark = second & 0x7f
  const start = 2 + ({ [lengths.short]: 2, [lengths.long]: 8 }[mark] ?? 0)
  if (bytes.length < start) return undefined
  let length = mark
  if (mark === lengths.short) length = bytes.readUInt16BE(2)
  if (mark === lengths.long) length = Number(bytes.readBigUInt64BE(2))
  if (length > messageBytesMax) fail('engine.unavailable', `a message of ${length} bytes`)
  const end = start + length
  if (bytes.length < end) return undefined
  return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, body: bytes.subarray(start, end), end }
}

/** What a client says to have a connection upgraded. */
export function upgradeHeaders(protocol: string): Readonly<Record<string, string>> {
  return {
    // What is printed is no document.
    accept: '*/*',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.from(systemChance.bytes(16)).toString('base64'),
    'sec-websocket-protocol': protocol,
  }
}
