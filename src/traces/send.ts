/** Hands a batch of spans to the collector: one request over HTTP. */
import { Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { isObject } from '../kit/json.ts'
import type { Configuration } from './configuration.ts'

/** What became of a batch. */
export type Sent =
  /** `rejected`: so many of them the collector did not want. */
  | { readonly kind: 'taken'; readonly rejected: number }
  /** The collector does not want it, now or later. */
  | { readonly kind: 'refused'; readonly why: string }
  /** It may be sent again, not before a while if the collector says so. */
  | { readonly kind: 'failed'; readonly why: string; readonly afterMs?: number }

export interface Sender {
  /** Never rejects. */
  send(body: string): Promise<Sent>
  close(): void
}

/** A connection to the collector that is kept. */
export function openSender({ url, headers, timeoutMs, tls }: Configuration): Sender {
  const isPlain = url.protocol === 'http:'
  const kept = { keepAlive: true, maxSockets: 1 }
  const agent = isPlain ? new PlainAgent(kept) : new TlsAgent({ ...kept, ...tls })
  const request = isPlain ? plainRequest : tlsRequest
  const send = (body: string): Promise<Sent> =>
    new Promise((resolve) => {
      const bytes = Buffer.from(body)
      const late = AbortSignal.timeout(timeoutMs)
      const failed = ({ code, message }: NodeJS.ErrnoException): void =>
        resolve({
          kind: 'failed',
          why: late.aborted ? `no answer within ${timeoutMs} ms` : (code ?? message),
        })
      const sent = request(url, {
        ...{ method: 'POST', agent, signal: late },
        headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes.length },
      })
      sent.on('error', failed)
      sent.on('response', (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => void (pieces.length < piecesMax && pieces.push(piece)))
        response.on('error', failed)
        response.on('end', () => {
          const { statusCode = 0, headers: told } = response
          resolve(judge(statusCode, told['retry-after'], Buffer.concat(pieces).toString()))
        })
      })
      sent.end(bytes)
    })
  return {
    // A header that cannot be one is an error before anything is sent.
    send: (body) =>
      send(body).catch((error: Error) => ({ kind: 'refused', why: error.message.slice(0, 80) })),
    close: () => agent.destroy(),
  }
}

/** Answers are short; of one that is not the rest is not needed. */
const piecesMax = 16

/** Those after which the protocol lets one try again. */
const passing = new Set([429, 502, 503, 504])

function judge(status: number, retryAfter: string | undefined, body: string): Sent {
  if (status >= 200 && status < 300) return { kind: 'taken', rejected: rejectedIn(body) }
  const why = `HTTP ${status}`
  if (!passing.has(status)) return { kind: 'refused', why }
  const afterMs = /^\d{1,4}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : undefined
  return { kind: 'failed', why, ...(afterMs !== undefined && { afterMs }) }
}

function rejectedIn(body: string): number {
  try {
    const answer: unknown = JSON.parse(body)
    const partial = isObject(answer) ? answer['partialSuccess'] : undefined
    const rejected = isObject(partial) ? String(partial['rejectedSpans']) : ''
    // What is no number would spoil the figures for good.
    return /^\d{1,9}$/.test(rejected) ? Number(rejected) : 0
  } catch {
    return 0
  }
}
