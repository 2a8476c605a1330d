/** Health: should the process live, may requests come, has the start ended; with reasons on the admin address. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { send } from './answer.ts'

export interface HealthCheck {
  readonly name: string
  readonly ok: boolean
  /** `2ms`, `12 MiB free`. */
  readonly detail: string
  /** What to do about it. */
  readonly hint?: string
}

export interface HealthPorts {
  requestId(headers: IncomingHttpHeaders): string
  /** Whether the loops of the process still turn; never asks store or network. */
  alive(): readonly HealthCheck[]
  /** Whether the start has ended. */
  started(): boolean
  /** Store writable, key ring open, not draining, disk free. */
  ready(): Promise<readonly HealthCheck[]>
  /** In the form that is accepted. */
  metrics(accept: string | undefined): Promise<{ readonly contentType: string; readonly text: string }>
}

export type HealthSide = 'admin' | 'main'

/** Serves health, and metrics on the admin side; false: the path is none of ours. */
export function serveHealth(
  ports: HealthPorts,
  side: HealthSide,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const [path, search] = (request.url ?? '').split('?')
  const asked = asks[path ?? '']
  if (asked === undefined && side === 'main') return false
  // On the admin side no other answer would name it.
  response.setHeader('X-Request-ID', ports.requestId(request.headers))
  if (asked === undefined && path !== '/metrics') return false
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const description = 'This address knows GET and HEAD'
    send(response, { status: 405, body: { description }, headers: { Allow: 'GET, HEAD' } })
    return true
  }
  if (asked === undefined) {
    answerMetrics(ports, request.headers.accept, response)
    return true
  }
  const wordy = side === 'admin' && (new URLSearchParams(search).has('verbose') || wantsJson(request))
  asked(ports)
    .catch((error: unknown): readonly HealthCheck[] => [
      { name: 'check', ok: false, detail: error instanceof Error ? error.message : 'failed' },
    ])
    .then((checks) => answer(response, checks, { wordy, side, json: wantsJson(request) }))
    .catch(() => response.destroy())
  return true
}

const asks: Readonly<Record<string, (ports: HealthPorts) => Promise<readonly HealthCheck[]>>> = {
  '/livez': (ports) => Promise.resolve(ports.alive()),
  '/startupz': (ports) => Promise.resolve([startCheck(ports)]),
  '/readyz': async (ports) => [startCheck(ports), ...(await ports.ready())],
}

function startCheck(ports: HealthPorts): HealthCheck {
  const ok = ports.started()
  return { name: 'start', ok, detail: ok ? 'done' : 'starting' }
}

interface Form {
  readonly wordy: boolean
  readonly json: boolean
  readonly side: HealthSide
}

function answer(response: ServerResponse, checks: readonly HealthCheck[], form: Form): void {
  const ok = checks.every((check) => check.ok)
  const status = ok ? 200 : 503
  // Health is asked of the moment; no cache may keep it.
  response.setHeader('Cache-Control', 'no-store')
  if (form.wordy && form.json) {
    send(response, { status, body: { ok, checks } })
    return
  }
  const brief = form.side === 'main' || !(form.wordy || !ok)
  sendText(response, {
    status,
    type: 'text/plain; charset=utf-8',
    text: brief ? `${ok ? 'ok' : 'not ok'}\n` : lines(checks),
  })
}

interface TextAnswer {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** With its length, so that HEAD tells it, too. */
function sendText(response: ServerResponse, { status, type, text }: TextAnswer): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text)
}

function lines(checks: readonly HealthCheck[]): string {
  return checks
    .map(({ name, ok, detail }) => (ok ? `[+]${name} ok (${detail})\n` : `[-]${name}: ${detail}\n`))
    .join('')
}

function wantsJson(request: IncomingMessage): boolean {
  return request.headers.accept?.includes('application/json') ?? false
}

function answerMetrics(ports: HealthPorts, accept: string | undefined, response: ServerResponse): void {
  ports
    .metrics(accept)
    .then(({ contentType, text }) => sendText(response, { status: 200, type: contentType, text }))
    .catch(() => {
      response.statusCode = 500
      response.end()
    })
}
