/** Small images for tests: a root file system and settings become an image layout folder. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { BuildSettings, BuiltImage } from '../../src/artifacts/build.ts'
import { digestOf } from '../../src/artifacts/digest.ts'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { ociConfig, ociLayer, ociManifest } from '../../src/artifacts/oci/media-types.ts'

/** A file by its bytes or text, with a mode if it matters; a link by its target; a folder. */
export type TreeItem =
  | string
  | Uint8Array
  | { readonly bytes: string | Uint8Array; readonly mode: number }
  | { readonly link: string }
  | { readonly folder: true; readonly mode?: number }

/** A fresh folder for a test; the caller removes it. In memory where there may be many flushes to the disk. */
export function freshFolder(name = 'test', where: 'disk' | 'memory' = 'disk'): string {
  // In memory there is a folder of the same name where the tests have one of their own.
  const memory = [join('/dev/shm', basename(tmpdir())), '/dev/shm'].find(existsSync)
  const parent = (where === 'memory' ? memory : undefined) ?? tmpdir()
  return mkdtempSync(join(parent, `chandler-${name}-`))
}

/** Writes a tree of files below a folder and answers the folder. */
export function writeTree(folder: string, tree: Readonly<Record<string, TreeItem>>): string {
  mkdirSync(folder, { recursive: true })
  for (const [path, item] of Object.entries(tree)) {
    const place = join(folder, path)
    mkdirSync(dirname(place), { recursive: true })
    if (typeof item === 'string' || item instanceof Uint8Array) writeFileSync(place, item)
    else if ('link' in item) symlinkSync(item.link, place)
    else if ('folder' in item) {
      mkdirSync(place, { recursive: true })
      if (item.mode !== undefined) chmodSync(place, item.mode)
    } else {
      writeFileSync(place, item.bytes)
      chmodSync(place, item.mode)
    }
  }
  return folder
}

/** Builds an image of a root folder into `oci:FOLDER:NAME`. */
export async function imageInLayout(
  folder: string,
  name: string,
  image: { readonly root: string; readonly settings?: BuildSettings },
): Promise<BuiltImage & { readonly reference: string }> {
  const reference = `oci:${folder}:${name}`
  const { root, settings = {} } = image
  const store = freshFolder('builder')
  const built = await openArtifactStore({ folder: store }).build({ root, settings, to: reference })
  rmSync(store, { recursive: true, force: true })
  return { ...built, reference }
}

/** An image of ready-made layer tars, lowest first, as the only one of a layout. */
export function imageOfLayers(folder: string, layers: readonly Uint8Array[]): string {
  const blobs = join(folder, 'blobs/sha256')
  mkdirSync(blobs, { recursive: true })
  const put = (mediaType: string, bytes: Uint8Array): object => {
    const digest = digestOf(bytes)
    writeFileSync(join(blobs, digest.slice('sha256:'.length)), bytes)
    return { mediaType, digest, size: bytes.length }
  }
  const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value))
  const config = {
    os: 'linux',
    architecture: 'amd64',
    rootfs: { type: 'layers', diff_ids: layers.map(digestOf) },
  }
  const manifest = put(
    ociManifest,
    json({
      schemaVersion: 2,
      mediaType: ociManifest,
      config: put(ociConfig, json(config)),
      layers: layers.map((layer) => put(ociLayer, layer)),
    }),
  )
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  writeFileSync(join(folder, 'index.json'), json({ schemaVersion: 2, manifests: [manifest] }))
  return `oci:${folder}`
}
