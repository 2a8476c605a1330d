/** A small OpenTelemetry collector for tests: keeps the spans it is handed, or behaves badly. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isObject } from '../../src/kit/json.ts'

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly traceState?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly status?: { readonly code: number; readonly message: string }
  /** Values as they are, without the wrapping of the protocol. */
  readonly attributes: Readonly<Record<string, unknown>>
}

/** What it does with a request: a status to answer, or never to answer. */
type Manner = number | 'hang'

export interface Collector {
  readonly url: string
  readonly spans: CollectedSpan[]
  /** What its senders said of themselves. */
  readonly resources: Readonly<Record<string, unknown>>[]
  readonly headers: IncomingMessage['headers'][]
  /** Every body as it came. */
  readonly bodies: string[]
  behave(manner: Manner): void
  close(): Promise<void>
}

/** Listens on a free port. */
export async function startCollector(manner: Manner = 200): Promise<Collector> {
  let now = manner
  const kept = { spans: [], resources: [], headers: [], bodies: [] } satisfies Partial<Collector> as Pick<
    Collector,
    'spans' | 'resources' | 'headers' | 'bodies'
  >
  const server = createServer((request, response) => void take(request, response))
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const piece of request) body += String(piece)
    kept.headers.push(request.headers)
    kept.bodies.push(body)
    if (now === 'hang') return
    if (now === 200 && request.url === '/v1/traces') keep(JSON.parse(body), kept)
    response
      .writeHead(request.url === '/v1/traces' ? now : 404, { 'content-type': 'application/json' })
      .end('{}')
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    ...kept,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: (other) => {
      now = other
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function keep(body: unknown, { spans, resources }: Pick<Collector, 'spans' | 'resources'>): void {
  for (const one of list(body, 'resourceSpans')) {
    resources.push(attributesOf(one['resource']))
    for (const scope of list(one, 'scopeSpans'))
      for (const span of list(scope, 'spans'))
        spans.push({ ...(span as unknown as CollectedSpan), attributes: attributesOf(span) })
  }
}

type Members = Readonly<Record<string, unknown>>

function list(value: unknown, name: string): readonly Members[] {
  const found = isObject(value) ? value[name] : undefined
  return Array.isArray(found) ? found.filter(isObject) : []
}

function attributesOf(value: unknown): Members {
  const pairs = list(value, 'attributes').map(({ key, value: wrapped }) => {
    const [text] = isObject(wrapped) ? Object.values(wrapped) : []
    return [String(key), text] as const
  })
  return Object.fromEntries(pairs)
}
