/** Writes server-sent events to a reply, waiting for a slow reader instead of piling up. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { ServerEvent } from './route.ts'

/** Sends events until there are no more or the reader has gone; to HEAD none at all, for its answer has no body. */
export function sendEvents(reply: FastifyReply, events: AsyncIterable<ServerEvent>): FastifyReply {
  return reply
    .type('text/event-stream; charset=utf-8')
    .header('X-Accel-Buffering', 'no')
    .send(Readable.from(reply.request.method === 'HEAD' ? [] : printed(events)))
}

async function* printed(events: AsyncIterable<ServerEvent>): AsyncGenerator<string> {
  yield ': follows\n\n'
  for await (const { event, id, data } of events) {
    const number = id === undefined ? '' : `id: ${id}\n`
    yield `event: ${event}\n${number}data: ${JSON.stringify(data)}\n\n`
  }
}
