import { expect, test } from 'vitest'
import { eventsIn } from './events.ts'

test.each<[string, readonly string[], readonly object[]]>([
  ['whole', ['event: log\nid: 3\ndata: {"a":1}\n\n'], [{ event: 'log', id: '3', data: '{"a":1}' }]],
  ['in pieces', ['event: l', 'og\nda', 'ta: x\n', '\n'], [{ event: 'log', id: undefined, data: 'x' }]],
  ['with CRLF', ['data: x\r\n\r\n'], [{ event: 'message', id: undefined, data: 'x' }]],
  ['several', ['data: a\n\ndata: b\n\n'], [{ data: 'a' }, { data: 'b' }]],
  ['of several lines', ['data: a\ndata: b\n\n'], [{ data: 'a\nb' }]],
  ['after a comment', [': hello\n\ndata: a\n\n'], [{ data: 'a' }]],
  ['unfinished', ['data: a\n\ndata: b'], [{ data: 'a' }]],
  ['without a blank after the colon', ['data:a\n\n'], [{ data: 'a' }]],
])('an event is read: %s', async (_name, pieces, expected) => {
  const read = []
  for await (const event of eventsIn(stream(pieces))) read.push(event)

  expect(read).toMatchObject(expected)
  expect(read.length).toBe(expected.length)
})

test('a character cut in two by the network is put together', async () => {
  const bytes = Buffer.from('data: ä\n\n')
  const read = []
  for await (const event of eventsIn(stream([bytes.subarray(0, 7), bytes.subarray(7)]))) read.push(event.data)

  expect(read).toEqual(['ä'])
})

async function* stream(pieces: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece
}
