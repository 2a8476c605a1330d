/** Puts signatures beside an image: in a layout folder, or in a registry by its HTTP API. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Attachment } from './make.ts'

const manifestType = 'application/vnd.oci.image.manifest.v1+json'

interface Built {
  readonly manifest: Buffer
  readonly blobs: readonly Uint8Array[]
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

function build({ tag, artifactType, configType, layers }: Attachment, subject: Uint8Array): Built {
  const config = Buffer.from('{}')
  const described = (mediaType: string, bytes: Uint8Array) => ({
    mediaType,
    digest: digestOf(bytes),
    size: bytes.length,
  })
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      ...(artifactType === undefined ? {} : { artifactType }),
      config: described(configType, config),
      layers: layers.map(({ mediaType, bytes, annotations }) => ({
        ...described(mediaType, bytes),
        ...(annotations === undefined ? {} : { annotations }),
      })),
      ...(tag === undefined ? { subject: described(manifestType, subject) } : {}),
    }),
  )
  return { manifest, blobs: [config, ...layers.map(({ bytes }) => bytes)] }
}

/** Into a layout folder that holds the image of that digest. */
export function attachInLayout(folder: string, digest: string, attachment: Attachment): void {
  const pathOf = (one: string): string => join(folder, 'blobs', ...one.split(':'))
  const { manifest, blobs } = build(attachment, readFileSync(pathOf(digest)))
  for (const bytes of [...blobs, manifest]) writeFileSync(pathOf(digestOf(bytes)), bytes)
  const file = join(folder, 'index.json')
  const index = JSON.parse(readFileSync(file, 'utf8'))
  const named = attachment.tag === undefined ? {} : { 'org.opencontainers.image.ref.name': attachment.tag }
  index.manifests.push({
    mediaType: manifestType,
    digest: digestOf(manifest),
    size: manifest.length,
    annotations: named,
  })
  writeFileSync(file, JSON.stringify(index))
}

/** Into a repository; one that lists no referrers is given the tag that stands in for the list. */
export async function attachInRegistry(
  place: { readonly host: string; readonly repository: string },
  digest: string,
  attachment: Attachment,
): Promise<void> {
  const url = `http://${place.host}/v2/${place.repository}`
  const subject = await fetch(`${url}/manifests/${digest}`, { headers: { accept: manifestType } })
  const { manifest, blobs } = build(attachment, new Uint8Array(await subject.arrayBuffer()))
  for (const blob of blobs) {
    const begun = await fetch(`${url}/blobs/uploads/`, { method: 'POST' })
    const at = new URL(begun.headers.get('location') ?? '', url)
    at.searchParams.set('digest', digestOf(blob))
    await expectOk(await fetch(at, { method: 'PUT', body: new Uint8Array(blob) }))
  }
  const put = async (name: string, type: string, body: Buffer): Promise<void> =>
    await expectOk(
      await fetch(`${url}/manifests/${name}`, {
        method: 'PUT',
        headers: { 'content-type': type },
        body: new Uint8Array(body),
      }),
    )
  await put(attachment.tag ?? digestOf(manifest), manifestType, manifest)
  if (attachment.tag !== undefined) return
  const mediaType = 'application/vnd.oci.image.index.v1+json'
  const { artifactType } = attachment
  const entry = { mediaType: manifestType, digest: digestOf(manifest), size: manifest.length, artifactType }
  const index = { schemaVersion: 2, mediaType, manifests: [entry] }
  await put(digest.replace(':', '-'), mediaType, Buffer.from(JSON.stringify(index)))
}

async function expectOk(answer: Response): Promise<void> {
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${text}`)
}
