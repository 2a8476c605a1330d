/** Small HTTP servers that answer as the public APIs of Docker Hub, Quay and OpenShift do, page by page. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeServer, listen } from '../support/registry.ts'

export interface TestApi {
  readonly url: string
  /** Paths with their queries, in the order in which they were asked for. */
  readonly asked: readonly string[]
  stop(): Promise<void>
}

type Answer = readonly [number, object] | undefined

/** Serves what a function answers; undefined is 404. */
export async function serveApi(
  answer: (url: URL, request: IncomingMessage, body: string) => Answer,
): Promise<TestApi> {
  const asked: string[] = []
  const server: Server = createServer((request, response: ServerResponse) => {
    let body = ''
    request.on('data', (piece: Buffer) => {
      body += piece.toString()
    })
    request.on('end', () => {
      asked.push(request.url ?? '')
      const [status, document] = answer(new URL(request.url ?? '', 'http://api'), request, body) ?? [404, {}]
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    })
  })
  await listen(server)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () => closeServer(server),
  }
}

/** Docker Hub: a login for a token, then two repositories a page. */
export function dockerHub(names: readonly string[], user: string, password: string) {
  return (url: URL, request: IncomingMessage, body: string): Answer => {
    if (url.pathname === '/v2/users/login/') {
      const given = JSON.parse(body) as { username: string; password: string }
      return given.username === user && given.password === password
        ? [200, { token: 'hub-token' }]
        : [401, {}]
    }
    if (url.pathname !== '/v2/repositories/skippers/' || request.headers.authorization !== 'JWT hub-token')
      return undefined
    const page = Number(url.searchParams.get('page') ?? 1)
    const last = page * 2 >= names.length
    const next = `http://${request.headers.host}/v2/repositories/skippers/?page=${page + 1}`
    return [
      200,
      {
        count: names.length,
        next: last ? null : next,
        results: names.slice(page * 2 - 2, page * 2).map((name) => ({ name, namespace: 'skippers' })),
      },
    ]
  }
}

/** Quay: pages by a token, private repositories for a token of the account. */
export function quay(names: readonly string[]) {
  return (url: URL, request: IncomingMessage): Answer => {
    if (url.pathname !== '/api/v1/repository' || url.searchParams.get('namespace') !== 'skippers')
      return undefined
    if (request.headers.authorization !== 'Bearer quay-token')
      return [401, { message: 'Requires authentication' }]
    const from = Number(url.searchParams.get('next_page') ?? 0)
    const more = from + 2 < names.length ? { next_page: String(from + 2) } : {}
    const repositories = names.slice(from, from + 2).map((name) => ({ namespace: 'skippers', name }))
    return [200, { repositories, ...more }]
  }
}

/** OpenShift: image streams of two namespaces, one of them without an image. */
export function imageStreams(registry: string, name: string) {
  return (url: URL, request: IncomingMessage): Answer => {
    if (request.headers.authorization !== 'Bearer sha256~cluster') return [401, {}]
    const stream = (one: string, repository?: string) => ({
      metadata: { name: one, namespace: 'openshift' },
      status: repository === undefined ? {} : { dockerImageRepository: repository },
    })
    if (!url.pathname.endsWith('/namespaces/openshift/imagestreams'))
      return url.pathname.endsWith('/imagestreams') ? [200, { items: [], metadata: {} }] : undefined
    return url.searchParams.get('continue') === null
      ? [200, { items: [stream('empty-apb')], metadata: { continue: 'page-2' } }]
      : [200, { items: [stream('queue-apb', `${registry}/${name}`)], metadata: {} }]
  }
}
