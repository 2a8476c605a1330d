/** A Helm chart as the artifact that registries have of it: its Chart.yaml as configuration, its archive as the only layer. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { readYaml } from '../../kit/yaml.ts'
import { fail } from '../../model/problem.ts'
import { collect } from '../archive/collect.ts'
import { openTarFile } from '../archive/tar-file.ts'
import { digestOf } from '../digest.ts'
import { documentBytesMax, usualLayerLimits } from '../limits.ts'
import { type Descriptor, parseManifest } from '../oci/manifest.ts'
import { ociManifest } from '../oci/media-types.ts'
import type { Source } from '../oci/place.ts'
import type { Content } from './access.ts'
import { type Spooled, spool } from './spool.ts'

export const chartType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'

export interface Chart {
  readonly content: Extract<Content, { kind: 'artifact' }>
  /** `name:version`, with what a tag may hold. */
  readonly name: string
  close(): Promise<void>
}

/** Makes an artifact of the archive of a chart. Problems: ocm.constructor.invalid, archive.*. */
export async function chartOf(
  bytes: AsyncIterable<Uint8Array>,
  place: string,
  scratchFolder: string,
): Promise<Chart> {
  const archive = await spool(bytes, scratchFolder)
  try {
    const metadata = await metadataOf(archive, place, scratchFolder)
    const { name, version } = metadata
    if (typeof name !== 'string' || typeof version !== 'string')
      return fail('ocm.constructor.invalid', 'its Chart.yaml names no name and version', {
        where: { source: place },
      })
    const called = `${name}:${version.replaceAll('+', '_')}`
    const { source, digest } = sourceOf(archive, metadata, called)
    return {
      content: { kind: 'artifact', source, wanted: { digest }, name: called },
      name: called,
      close: archive.close,
    }
  } catch (error) {
    await archive.close()
    throw error
  }
}

async function metadataOf({ path }: Spooled, place: string, scratchFolder: string): Promise<JsonObject> {
  const where = { source: place }
  const tar = await openTarFile(path, scratchFolder, usualLayerLimits)
  try {
    const member = tar.members.find((one) => /^[^/]+\/Chart\.yaml$/.test(one.path))
    if (member === undefined)
      return fail('ocm.constructor.invalid', 'it is no chart: Chart.yaml is missing', { where })
    const text = Buffer.from(await collect(tar.open(member, 0), documentBytesMax)).toString()
    const { value, faults } = readYaml(text, { merge: true, aliasesMax: 100 })
    if (isObject(value)) return value as JsonObject
    return fail('ocm.constructor.invalid', `Chart.yaml: ${faults[0]?.message ?? 'it is no map'}`, { where })
  } finally {
    await tar.close()
  }
}

function sourceOf(archive: Spooled, metadata: JsonObject, name: string) {
  const config = Buffer.from(JSON.stringify(metadata))
  const described: Descriptor = {
    mediaType: 'application/vnd.cncf.helm.config.v1+json',
    digest: digestOf(config),
    size: config.byteLength,
  }
  const layer: Descriptor = { mediaType: chartType, digest: archive.digest, size: archive.size }
  const document = { schemaVersion: 2, mediaType: ociManifest, config: described, layers: [layer] }
  const manifest = parseManifest(Buffer.from(JSON.stringify(document)), ociManifest, name)
  const source: Source = {
    name,
    manifest: () => Promise.resolve(manifest),
    blob: ({ digest }) =>
      Promise.resolve({ from: 0, bytes: digest === layer.digest ? archive.open() : once(config) }),
    referrers: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  }
  return { source, digest: manifest.digest }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
