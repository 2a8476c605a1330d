/** Reads server-sent events from a stream of bytes. */

export interface ReceivedEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: string
}

/** Events in order; an unfinished one at the end is dropped, as the specification says. */
export async function* eventsIn(stream: AsyncIterable<Uint8Array>): AsyncGenerator<ReceivedEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).replaceAll('\r\n', '\n').split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const event = eventIn(part)
      if (event) yield event
    }
  }
}

function eventIn(text: string): ReceivedEvent | undefined {
  let event = 'message'
  let id: string | undefined
  const data: string[] = []
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':')
    if (colon === 0) continue
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') event = value
    else if (name === 'id') id = value
    else if (name === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { event, id, data: data.join('\n') }
}
