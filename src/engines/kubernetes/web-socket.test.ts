import { expect, test } from 'vitest'
import { clientFrame, frameReader } from './web-socket.ts'

/** What a server reads of a frame of ours. */
function unmasked(frame: Buffer): Buffer {
  const mark = (frame[1] ?? 0) & 0x7f
  const start = 2 + ({ 126: 2, 127: 8 }[mark] ?? 0)
  const mask = frame.subarray(start, start + 4)
  return Buffer.from(frame.subarray(start + 4)).map((byte, i) => byte ^ (mask[i % 4] ?? 0)) as Buffer
}

/** A frame of a server, which masks nothing. */
function serverFrame(first: number, body: Buffer): Buffer {
  const ours = clientFrame('binary', body)
  const head = ours.subarray(0, ours.length - 4 - body.length)
  head[0] = first
  head[1] = (head[1] ?? 0) & 0x7f
  return Buffer.concat([head, body])
}

test.for([0, 125, 126, 65_535, 65_536, 100_000])('%d bytes are framed and read', (length) => {
  const body = Buffer.alloc(length, 'ship')

  expect(unmasked(clientFrame('binary', body)).equals(body)).toBe(true)
  expect(frameReader()(serverFrame(0x82, body))).toEqual([{ kind: 'data', bytes: body }])
})

test('frames that arrive byte by byte are read', () => {
  const read = frameReader()
  const both = Buffer.concat([serverFrame(0x82, Buffer.from('one')), serverFrame(0x82, Buffer.from('two'))])
  const messages = [...both].flatMap((byte) => read(Buffer.from([byte])))

  expect(messages.map((message) => message.kind === 'data' && message.bytes.toString())).toEqual([
    'one',
    'two',
  ])
})

test('a message in parts is one, though a ping comes between', () => {
  const read = frameReader()
  const parts = [
    serverFrame(0x02, Buffer.from('be')),
    serverFrame(0x89, Buffer.from('?')),
    serverFrame(0x80, Buffer.from('gun')),
  ]

  expect(read(Buffer.concat(parts))).toEqual([
    { kind: 'ping', bytes: Buffer.from('?') },
    { kind: 'data', bytes: Buffer.from('begun') },
  ])
})

test('an end is told, and a message without bounds is refused', () => {
  expect(frameReader()(serverFrame(0x88, Buffer.alloc(2)))).toEqual([{ kind: 'close' }])
  expect(() => frameReader()(Buffer.from([0x82, 127, 1, 0, 0, 0, 0, 0, 0, 0]))).toThrow(
    'The engine cannot be reached',
  )
})
