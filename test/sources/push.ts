/** Puts small images into a registry by its HTTP API: one layer, and a configuration with labels. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

const layer = Buffer.alloc(1024)
const packed = gzipSync(layer)

/** Pushes an image; answers the digest of its manifest. */
export async function pushImage(
  host: string,
  name: string,
  labels: Readonly<Record<string, string>>,
  { tag = 'latest', authorization }: { readonly tag?: string; readonly authorization?: string } = {},
): Promise<string> {
  const headers = authorization === undefined ? {} : { authorization }
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: { Entrypoint: ['/entrypoint'], Labels: labels },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  )
  const descriptor = (mediaType: string, bytes: Buffer) => ({
    mediaType,
    digest: digestOf(bytes),
    size: bytes.length,
  })
  for (const blob of [packed, config]) {
    const begun = await fetch(`http://${host}/v2/${name}/blobs/uploads/`, { method: 'POST', headers })
    const at = new URL(begun.headers.get('location') ?? '', `http://${host}`)
    at.searchParams.set('digest', digestOf(blob))
    await done(await fetch(at, { method: 'PUT', headers, body: new Uint8Array(blob) }), 201)
  }
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType,
    config: descriptor('application/vnd.oci.image.config.v1+json', config),
    layers: [descriptor('application/vnd.oci.image.layer.v1.tar+gzip', packed)],
  })
  const put = await fetch(`http://${host}/v2/${name}/manifests/${tag}`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': mediaType },
    body: manifest,
  })
  await done(put, 201)
  return digestOf(Buffer.from(manifest))
}

/** Takes an image out of a registry. */
export async function deleteImage(host: string, name: string, digest: string): Promise<void> {
  await done(await fetch(`http://${host}/v2/${name}/manifests/${digest}`, { method: 'DELETE' }), 202)
}

/** The labels of a bundle with one plan. */
export function bundleLabels(name: string, more = ''): Readonly<Record<string, string>> {
  const spec = `version: 1.0
name: ${name}
description: The bundle ${name}
bindable: true
async: optional
metadata: {}
plans:
  - {name: default, description: One, free: true, metadata: {}, parameters: []}
${more}`
  return {
    'com.redhat.apb.spec': Buffer.from(spec).toString('base64'),
    'com.redhat.apb.runtime': '2',
  }
}

async function done(answer: Response, status: number): Promise<void> {
  const text = await answer.text()
  if (answer.status !== status) throw new Error(`${answer.url} answered ${answer.status}: ${text}`)
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
