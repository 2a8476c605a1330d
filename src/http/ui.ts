/** Serves the built web UI from memory: each file with its digest, compressed before, and under headers that let nothing else in. */
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { sha256 } from '../kit/hash.ts'
import { send } from './answer.ts'

export interface Ui {
  /** False: the path is none of the UI's. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
}

interface UiFile {
  readonly type: string
  readonly etag: string
  /** By what a browser calls the compression; '' is none. */
  readonly bodies: ReadonlyMap<string, Buffer>
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
  '.svg': 'image/svg+xml',
}

/** What is written into the page that starts the UI: where it is for a browser. */
const placeOfPrefix = '<base href="/ui/"'

/** Reads the folder that the build wrote; without one, every address of the UI says so. */
export function openUi(folder: string, pathPrefix: string): Ui {
  const files = readFiles(folder, pathPrefix)
  return {
    serve(request, response) {
      const [path = ''] = (request.url ?? '').split('?')
      const isRoot = path === '/' && request.headers.accept?.includes('text/html') === true
      if (!isRoot && path !== '/ui' && !path.startsWith('/ui/')) return false
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        const description = 'This address knows GET and HEAD'
        send(response, { status: 405, body: { description }, headers: { Allow: 'GET, HEAD' } })
      } else if (isRoot || path === '/ui') {
        send(response, { status: 302, headers: { Location: `${pathPrefix}/ui/`, 'Content-Length': '0' } })
      } else if (files.size === 0) {
        const description = 'The web UI has not been built: run npm run build'
        send(response, { status: 404, body: { description } })
      } else {
        serveFile(files, path.slice('/ui/'.length), { request, response })
      }
      return true
    },
  }
}

/** An address that is no file is a page of the UI, which tells itself what there is. */
function serveFile(
  files: ReadonlyMap<string, UiFile>,
  name: string,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): void {
  const isAsset = name.startsWith('assets/')
  const file = hasDotSegment(name) ? undefined : files.get(isAsset ? name : 'index.html')
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
    // Names of assets hold a digest of their content.
    'Cache-Control': isAsset ? 'public, max-age=31536000, immutable' : 'no-cache',
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

/** Browsers resolve dot segments before they ask; a request with one, plain or escaped, looks for files beside the UI. */
function hasDotSegment(name: string): boolean {
  return name
    .replaceAll(/%2e/gi, '.')
    .split(/\/|%2f|\\|%5c/i)
    .some((segment) => segment === '.' || segment === '..')
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

function readFiles(folder: string, pathPrefix: string): ReadonlyMap<string, UiFile> {
  const names = namesIn(folder)
  return new Map(
    names
      .filter((name) => types[extname(name)] !== undefined)
      .map((name): [string, UiFile] => {
        const read = readFileSync(join(folder, name))
        const isPage = name.endsWith('.html')
        const plain = isPage
          ? Buffer.from(read.toString().replace(placeOfPrefix, `<base href="${pathPrefix}/ui/"`))
          : read
        const compressed = encodings
          .filter(([, ending]) => !isPage && names.includes(`${name}${ending}`))
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

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  } catch {
    return []
  }
}
