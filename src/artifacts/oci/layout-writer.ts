/** Writes into an image layout folder; what is in it already stays. */
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { asideOf, makeFolder, readBounded, unwritable, writeDurably } from '../content/durable.ts'
import { hashFor, splitDigest } from '../digest.ts'
import { documentBytesMax } from '../limits.ts'
import { checked } from './checked.ts'
import { refName } from './layout.ts'
import { type Descriptor, describe, type Manifest, parseManifest } from './manifest.ts'
import { ociIndex } from './media-types.ts'
import type { BlobContent, Target } from './place.ts'

/** Opens a layout for writing; the folder is made if need be. */
export async function openLayoutTarget(folder: string): Promise<Target> {
  await makeFolder(join(folder, 'blobs', 'sha256'))
  const pathOf = (digest: string): string => {
    hashFor(digest)
    const { algorithm, hex } = splitDigest(digest)
    return join(folder, 'blobs', algorithm, hex)
  }
  const listed: { readonly manifest: Manifest; readonly name: string | undefined }[] = []
  return {
    name: folder,
    has: async ({ digest, size }) => (await stat(pathOf(digest)).catch(() => undefined))?.size === size,
    writeBlob: (descriptor, content) => writeBlob(pathOf(descriptor.digest), descriptor, content),
    writeManifest: async (manifest, name) => {
      await makeFolder(dirname(pathOf(manifest.digest)))
      await writeDurably(pathOf(manifest.digest), manifest.bytes)
      listed.push({ manifest, name })
    },
    finish: async () => {
      const marker = join(folder, 'oci-layout')
      await writeDurably(marker, '{"imageLayoutVersion":"1.0.0"}')
      await writeDurably(join(folder, 'index.json'), JSON.stringify(await indexWith(folder, listed)))
    },
    close: async () => undefined,
  }
}

/** Writes one blob, refusing content that is not what its descriptor says. Problems: artifact.altered, artifact.unwritable. */
async function writeBlob(path: string, descriptor: Descriptor, content: BlobContent): Promise<void> {
  await makeFolder(dirname(path))
  const aside = asideOf(path)
  try {
    const handle = await open(aside, 'wx', 0o644)
    try {
      for await (const chunk of checked(descriptor, content.open())) await handle.writeFile(chunk)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    throw unwritable(error, path)
  }
}

/** What index.json says already, with the new manifests: a name moves on from the one that had it. */
async function indexWith(
  folder: string,
  listed: readonly { readonly manifest: Manifest; readonly name: string | undefined }[],
): Promise<object> {
  const bytes = await readBounded(join(folder, 'index.json'), documentBytesMax)
  const before = bytes === undefined ? undefined : parseManifest(bytes, ociIndex, `${folder}/index.json`)
  let entries: readonly object[] = before?.kind === 'index' ? before.manifests : []
  const named = listed.filter(({ name }) => name !== undefined)
  // A manifest that is only a part of another is found through that one.
  const tops = named.length > 0 ? named : listed.slice(-1)
  for (const { manifest, name } of tops) {
    const { digest } = manifest
    const kept = entries.filter((entry) => !replaces(entry as Descriptor, digest, name))
    const annotations = name === undefined ? {} : { annotations: { [refName]: name } }
    const type = manifest.artifactType === undefined ? {} : { artifactType: manifest.artifactType }
    entries = [...kept, { ...describe(manifest), ...type, ...annotations }]
  }
  return { schemaVersion: 2, mediaType: ociIndex, manifests: entries }
}

function replaces(entry: Descriptor, digest: string, name: string | undefined): boolean {
  const had = entry.annotations?.[refName]
  return name === undefined ? entry.digest === digest && had === undefined : had === name
}
