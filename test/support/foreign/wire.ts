/** The HTTP around a foreign broker: requests read, bodies parsed, a free port, and what a test asks of it. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { isObject, type JsonObject } from '../../../src/kit/json.ts'

export interface ForeignBroker {
  readonly url: string
  /** What it was asked, in order: method, path and query. */
  readonly asked: readonly string[]
  /** Paths of instances and bindings that it still has. */
  left(): readonly string[]
  close(): Promise<void>
}

export const account = { user: 'platform', password: 'of-the-platform' }
export const basic = `Basic ${Buffer.from(`${account.user}:${account.password}`).toString('base64')}`

export type Answer = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>]

export function refuse(status: number, description: string): Answer {
  return [status, { description }]
}

/** Listens on a free port; every request is read whole, judged, and answered. */
export async function serveForeign(
  judge: (request: IncomingMessage, text: string) => Answer,
  tls?: TlsOptions,
): Promise<Pick<ForeignBroker, 'url' | 'asked' | 'close'>> {
  const asked: string[] = []
  const listener: RequestListener = async (request, response) => {
    const text = await read(request)
    asked.push(`${request.method} ${request.url}`)
    const [status, body, headers] = judge(request, text)
    const identity = request.headers['x-broker-api-request-identity']
    response.writeHead(status, {
      'Content-Type': 'application/json',
      ...(identity === undefined ? {} : { 'X-Broker-API-Request-Identity': String(identity) }),
      ...headers,
    })
    const content = typeof body === 'string' ? body : JSON.stringify(body)
    response.end(status === 304 ? undefined : content)
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A JSON object; undefined for everything else. */
export function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** The whole body of a request. */
async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
