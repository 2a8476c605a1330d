/** An HTTP server on loopback that answers as a test scripts it, and writes down what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeServer, listen } from './registry.ts'

export interface FlakyServer {
  /** `127.0.0.1:PORT` */
  readonly host: string
  /** `METHOD path` of every request, with the Range if one was asked for. */
  readonly asked: readonly string[]
  /** Authorization headers that came with them. */
  readonly secrets: readonly (string | undefined)[]
  stop(): Promise<void>
}

export type Respond = (request: IncomingMessage, response: ServerResponse, count: number) => void

/** Starts a server; `respond` also gets how many requests there were before this one. */
export async function startFlakyServer(respond: Respond): Promise<FlakyServer> {
  const asked: string[] = []
  const secrets: (string | undefined)[] = []
  const server = createServer((request, response) => {
    const { range, authorization } = request.headers
    asked.push(`${request.method} ${request.url}${range === undefined ? '' : ` ${range}`}`)
    secrets.push(authorization)
    request.resume()
    if (request.url === '/v2/') response.end('{}')
    else respond(request, response, asked.filter((line) => !line.endsWith('/v2/')).length - 1)
  })
  await listen(server)
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    secrets,
    stop: () => closeServer(server),
  }
}
