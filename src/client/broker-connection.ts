/** A connection to anybody's service broker: requests go out as they were asked for, answers come back whole. */
import { Pool } from 'undici'
import { systemClock } from '../kit/clock.ts'
import { present } from '../kit/present.ts'
import type { Secret } from '../kit/secret.ts'
import { fail } from '../model/problem.ts'
import type { Credentials } from './credentials.ts'
import { unreachable } from './unreachable.ts'

export interface BrokerAddress {
  /** May have a path, under which `/v2` lies. */
  readonly url: string
  readonly credentials?: Credentials
  /** Authorities that its certificate is checked against, and a certificate of ours; each as PEM. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: Secret }
  /** Milliseconds that one answer may take; platforms give a broker 60 seconds. */
  readonly timeoutMs?: number
}

export interface BrokerRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  /** With its query, percent-encoded where it should be; sent as it is. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface BrokerAnswer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Undefined when the text is not JSON. */
  readonly body: unknown
  readonly milliseconds: number
}

export interface BrokerConnection {
  readonly credentials: Credentials | undefined
  send(request: BrokerRequest): Promise<BrokerAnswer>
  close(): Promise<void>
}

/** The largest answer that is read; a catalog of a thousand plans with schemas has about 20 MB. */
const answerBytesMax = 64 * 2 ** 20

/** Opens connections to a broker as they are needed. Problems: usage.invalid, server.unreachable (of send). */
export function connectToBroker(address: BrokerAddress): BrokerConnection {
  const url = URL.canParse(address.url) ? new URL(address.url) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return fail('usage.invalid', 'the address of a broker begins with http:// or https://')
  }
  const timeout = address.timeoutMs ?? 60_000
  const { ca, cert, key } = address.tls ?? {}
  const connect = present({ ca, cert, key: key?.reveal() })
  const pool = new Pool(url.origin, {
    headersTimeout: timeout,
    bodyTimeout: timeout,
    connections: 32,
    connect,
  })
  const prefix = url.pathname.replace(/\/+$/, '')
  return {
    credentials: address.credentials,
    async send({ method, path, headers, body }) {
      const begun = systemClock.monotonic()
      try {
        const answer = await pool.request({ method, path: prefix + path, headers, body: body ?? null })
        const text = await wholeText(answer.body)
        return {
          status: answer.statusCode,
          headers: flat(answer.headers),
          text,
          body: parsed(text),
          milliseconds: systemClock.monotonic() - begun,
        }
      } catch (cause) {
        return unreachable(url.origin, cause)
      }
    },
    close: () => pool.destroy(),
  }
}

async function wholeText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > answerBytesMax) fail('server.unreachable', `an answer is larger than ${answerBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function flat(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
