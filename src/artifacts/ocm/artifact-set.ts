/** OCI artifacts packed as one blob: opened to look inside, and written. */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../../kit/json.ts'
import { fail } from '../../model/problem.ts'
import { makeFolder, writeDurably } from '../content/durable.ts'
import { isDigest } from '../digest.ts'
import { documentBytesMax } from '../limits.ts'
import { checked } from '../oci/checked.ts'
import { parseObject } from '../oci/document.ts'
import { openLayout, refName } from '../oci/layout.ts'
import { layoutArchive } from '../oci/layout-archive.ts'
import { childrenOf, describe, type Manifest } from '../oci/manifest.ts'
import { isIndexType, isManifestType, ociIndex } from '../oci/media-types.ts'
import type { Source, WantedManifest } from '../oci/place.ts'
import { transfer } from '../transfer.ts'
import { ctfBlobs, packedFolder } from './blob-folder.ts'

export const mainAnnotation = 'software.ocm/main'

export interface OpenSet {
  readonly source: Source
  /** The artifact that the set is of. */
  readonly main: Manifest
}

/** Opens a set that lies in a file. Problems: image.layout-invalid, artifact.altered, archive.*. */
export async function openArtifactSet(
  path: string,
  scratchFolder: string,
  signal: AbortSignal,
): Promise<OpenSet> {
  const plain = await layoutArchive(path, scratchFolder)
  const indexName = (await plain.read('index.json')) === undefined ? 'artifact-descriptor.json' : 'index.json'
  const files = {
    ...plain,
    // Sets of earlier years call the index otherwise and have no mark of a layout.
    read: async (name: string) => {
      const bytes = await plain.read(name === 'index.json' ? indexName : name)
      return bytes === undefined && name === 'oci-layout'
        ? Buffer.from('{"imageLayoutVersion":"1.0.0"}')
        : bytes
    },
  }
  try {
    const wanted = await mainOf((await files.read('index.json')) ?? new Uint8Array(), path)
    const source = await openLayout(files)
    const main = await source.manifest(wanted, signal)
    return main === undefined
      ? fail('artifact.not-found', 'the main artifact of the set', { where: { source: path } })
      : { source, main }
  } catch (error) {
    await plain.close()
    throw error
  }
}

/** What its annotation names, else the only or first one. */
async function mainOf(index: Uint8Array, source: string): Promise<WantedManifest> {
  if (index.byteLength > documentBytesMax || index.byteLength === 0)
    return fail('image.layout-invalid', 'the set has no index', { where: { source } })
  const { annotations, manifests } = parseObject(index, source)
  const named = isObject(annotations) ? annotations[mainAnnotation] : undefined
  if (isDigest(named)) return { digest: named }
  const first: unknown = Array.isArray(manifests) ? manifests[0] : undefined
  const digest = isObject(first) ? first['digest'] : undefined
  return isDigest(digest)
    ? { digest }
    : fail('image.layout-invalid', 'the set is empty', { where: { source } })
}

/** Refuses a set of which any part is not what its digest says. Problems: artifact.altered, artifact.not-found. */
export async function checkSet({ source, main }: OpenSet, signal: AbortSignal): Promise<void> {
  const seen = new Set<string>()
  const visit = async (manifest: Manifest): Promise<void> => {
    if (manifest.kind === 'schema-1')
      return fail('image.manifest-unsupported', 'Docker schema 1', { where: { source: source.name } })
    for (const part of childrenOf(manifest)) {
      if (seen.has(part.digest)) continue
      seen.add(part.digest)
      if (manifest.kind === 'index' && (isManifestType(part.mediaType) || isIndexType(part.mediaType))) {
        const child = await source.manifest({ digest: part.digest }, signal)
        if (child === undefined) fail('artifact.not-found', part.digest, { where: { source: source.name } })
        else await visit(child)
        continue
      }
      for await (const _ of checked(part, (await source.blob(part, 0, signal)).bytes)) signal.throwIfAborted()
    }
  }
  await visit(main)
}

export interface SetOrder {
  readonly source: Source
  readonly wanted: WantedManifest
  /** What it was called. */
  readonly name: string
  readonly scratchFolder: string
  readonly signal: AbortSignal
  progress(text: string): void
}

export interface PackedSet {
  readonly main: Manifest
  /** The same artifact is the same bytes. */
  open(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** Fetches an artifact and packs it. Problems: artifact.*, image.*, registry.*. */
export async function packArtifactSet(order: SetOrder): Promise<PackedSet> {
  const { source, wanted, name, scratchFolder, signal, progress } = order
  await makeFolder(scratchFolder, 0o700)
  const folder = await mkdtemp(join(scratchFolder, 'set-'))
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const target = ctfBlobs(folder)
    const { digest } = await transfer({ source, wanted }, { target, name: undefined }, { signal, progress })
    const main = await source.manifest({ digest }, signal)
    if (main === undefined) return fail('artifact.not-found', digest, { where: { source: source.name } })
    const tag = /:([\w][\w.-]{0,127})(?:@|$)/.exec(name.slice(name.lastIndexOf('/') + 1))?.[1]
    const entry = {
      ...describe(main),
      ...(tag === undefined ? {} : { annotations: { 'software.ocm/tags': tag, [refName]: tag } }),
    }
    const index = {
      schemaVersion: 2,
      mediaType: ociIndex,
      manifests: [entry],
      annotations: { [mainAnnotation]: digest },
    }
    await writeDurably(join(folder, 'index.json'), JSON.stringify(index))
    await writeDurably(join(folder, 'oci-layout'), '{"imageLayoutVersion": "1.0.0"}')
    return { main, open: () => packedFolder(folder), close }
  } catch (error) {
    await close()
    throw error
  }
}
