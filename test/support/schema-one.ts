/** A registry of the age in which images were of Docker's schema 1: an image of a layout, served with signatures as it kept them. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { digestOf } from '../../src/artifacts/digest.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { closeServer, listen } from './registry.ts'

export interface OldRegistry {
  /** `127.0.0.1:PORT/org/NAME` without a tag. */
  readonly repository: string
  readonly host: string
  /** What instances keep: the digest of the manifest without its signatures. */
  readonly digest: string
  /** Requests for blobs so far, as `METHOD DIGEST`. */
  readonly blobsAsked: readonly string[]
  stop(): Promise<void>
}

interface Descriptor {
  readonly digest: string
}

/** What stands around a manifest and its signatures. */
export type Signing = (payload: string) => string

/** Serves the one image of a layout as `org/NAME:latest`; `sign` makes the document of what its digest is of. */
export async function startOldRegistry(layout: string, name: string, sign = signed): Promise<OldRegistry> {
  const payload = JSON.stringify(schemaOneOf(layout, name), undefined, 3)
  const digest = digestOf(payload)
  const blobsAsked: string[] = []
  const serve = ({ url = '', method = '' }: IncomingMessage, response: ServerResponse): void => {
    const [, kind, wanted = ''] = /^\/v2\/org\/[^/]+\/(manifests|blobs)\/(.+)$/.exec(url) ?? []
    if (kind === 'blobs') blobsAsked.push(`${method} ${wanted}`)
    if (url === '/v2/') end(response, '{}')
    else if (url.startsWith('/v2/_catalog')) end(response, JSON.stringify({ repositories: [`org/${name}`] }))
    else if (kind === 'manifests' && ['latest', digest].includes(wanted))
      end(response, sign(payload), {
        'content-type': 'application/vnd.docker.distribution.manifest.v1+prettyjws',
        'docker-content-digest': digest,
      })
    else end(response, kind === 'blobs' ? blobAt(layout, wanted) : undefined)
  }
  const server = createServer(serve)
  await listen(server)
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    repository: `${host}/org/${name}`,
    digest,
    blobsAsked,
    stop: () => closeServer(server),
  }
}

function end(
  response: ServerResponse,
  body: string | Uint8Array | undefined,
  headers: Record<string, string> = {},
): void {
  if (body === undefined) response.writeHead(404).end()
  else response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

function blobAt(layout: string, digest: string): Uint8Array | undefined {
  try {
    return readFileSync(join(layout, 'blobs', digest.replace(':', '/')))
  } catch {
    return undefined
  }
}

/** The manifest, with a layer in its middle that changed no file and that no registry has. */
function schemaOneOf(layout: string, name: string): JsonObject {
  const read = (digest: string) => JSON.parse(String(blobAt(layout, digest))) as JsonObject
  const index = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as {
    manifests: readonly Descriptor[]
  }
  const manifest = read(index.manifests[0]?.digest ?? '') as unknown as {
    readonly config: Descriptor
    readonly layers: readonly Descriptor[]
  }
  const { rootfs: _rootfs, ...config } = read(manifest.config.digest)
  const [newest = '', ...older] = manifest.layers.map(({ digest }) => digest).toReversed()
  const blobs = [newest, digestOf('nothing'), ...older]
  const history = blobs.map((_, i) => ({
    id: `id-${i}`,
    parent: `id-${i + 1}`,
    ...(i === 0 ? config : {}),
    ...(i === 1 ? { throwaway: true } : {}),
  }))
  return {
    schemaVersion: 1,
    name: `org/${name}`,
    tag: 'latest',
    architecture: 'amd64',
    fsLayers: blobs.map((blobSum) => ({ blobSum })),
    history: history.map((text) => ({ v1Compatibility: JSON.stringify(text) })),
  }
}

/** With a signature before the last brace, which tells where it was put. */
function signed(payload: string): string {
  const tail = '\n}'
  return `${payload.slice(0, -tail.length)},${signatures(payload.length - tail.length, tail)}${tail}`
}

/** What tells how a document ended before it was signed. */
export function signatures(formatLength: number, formatTail: string): string {
  const protectedPart = JSON.stringify({
    formatLength,
    formatTail: Buffer.from(formatTail).toString('base64url'),
  })
  const signature = {
    header: { alg: 'ES256' },
    signature: 'of-nothing',
    protected: Buffer.from(protectedPart).toString('base64url'),
  }
  return `"signatures": [${JSON.stringify(signature)}]`
}
