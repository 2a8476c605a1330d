/** Files of a built folder, served from memory: each with its digest, compressed before, under headers that let nothing else in. */
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { sha256 } from '../kit/hash.ts'
import { send } from './answer.ts'

/** What serves some of the addresses. */
export interface Pages {
  /** False: the path is none of these. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
}

export interface StaticFile {
  readonly type: string
  readonly etag: string
  /** By what a browser calls the compression; '' is none. */
  readonly bodies: ReadonlyMap<string, Buffer>
}

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Best first. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.yaml': 'text/plain; charset=utf-8',
  '.yml': 'text/plain; charset=utf-8',
}

/** Reads them by their names below the folder; without such a folder there are none. */
export function readStaticFiles(
  folder: string,
  change: (page: string) => string = (page) => page,
): ReadonlyMap<string, StaticFile> {
  const names = namesIn(folder)
  return new Map(
    names
      .filter((name) => types[extname(name)] !== undefined)
      .map((name): [string, StaticFile] => {
        const read = readFileSync(join(folder, name))
        const changed = name.endsWith('.html') ? change(read.toString()) : undefined
        const plain = changed === undefined ? read : Buffer.from(changed)
        const compressed = encodings
          .filter(([, ending]) => plain.equals(read) && names.includes(`${name}${ending}`))
          .map(([encoding, ending]) => [encoding, readFileSync(join(folder, `${name}${ending}`))] as const)
        return [
          name,
          {
            type: types[extname(name)] ?? '',
            etag: sha256(plain).slice(0, 32),
            bodies: new Map([['', plain], ...compressed]),
          },
        ]
      }),
  )
}

/** Answers with a file; `isForEver`: its name holds a digest of its content. */
export function serveFile(
  file: StaticFile | undefined,
  { request, response }: Exchange,
  isForEver: boolean,
): void {
  if (file === undefined) {
    send(response, { status: 404, body: { description: 'There is nothing at this address' } })
    return
  }
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const encoding = encodings.find(([one]) => accepted.includes(one) && file.bodies.has(one))?.[0] ?? ''
  const etag = `"${file.etag}${encoding === '' ? '' : `-${encoding}`}"`
  const headers = {
    ...securityHeaders,
    'Content-Type': file.type,
    ETag: etag,
    Vary: 'Accept-Encoding',
    'Cache-Control': isForEver ? 'public, max-age=31536000, immutable' : 'no-cache',
  }
  if (request.headers['if-none-match']?.includes(etag)) {
    response.writeHead(304, headers).end()
    return
  }
  const body = file.bodies.get(encoding) ?? Buffer.of()
  response.writeHead(200, {
    ...headers,
    ...(encoding === '' ? {} : { 'Content-Encoding': encoding }),
    'Content-Length': body.length,
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Refuses what only reads do not send; false: it is a read. */
export function refuseChanges({ request, response }: Exchange): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return false
  const description = 'This address knows GET and HEAD'
  send(response, { status: 405, body: { description }, headers: { Allow: 'GET, HEAD' } })
  return true
}

/** Leads to another address. */
export function leadTo(response: ServerResponse, location: string): void {
  send(response, { status: 302, headers: { Location: location, 'Content-Length': '0' } })
}

const securityHeaders = {
  'Content-Security-Policy': [
    "default-src 'self'",
    // Icons of packages come as data; nothing else does.
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  } catch {
    return []
  }
}
