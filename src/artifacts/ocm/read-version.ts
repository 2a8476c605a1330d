/** Reads a component version from the manifest that a repository keeps for it. */
import { isObject } from '../../kit/json.ts'
import { type ComponentDescriptor, readDescriptor } from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { collect } from '../archive/collect.ts'
import { tarParser } from '../archive/tar-parser.ts'
import { documentBytesMax } from '../limits.ts'
import { checked } from '../oci/checked.ts'
import { parseObject } from '../oci/document.ts'
import type { Descriptor, ImageManifest } from '../oci/manifest.ts'
import type { Source } from '../oci/place.ts'
import { refuse } from './faults.ts'

export interface ReadVersion {
  readonly descriptor: ComponentDescriptor
  readonly manifest: ImageManifest
}

export interface VersionWish {
  readonly source: Source
  readonly tag: string
  readonly component: string
  readonly version: string
  readonly signal: AbortSignal
}

/** The version under a tag; undefined: there is none. Problems: ocm.descriptor.invalid, artifact.altered, image.*. */
export async function readVersion(wish: VersionWish): Promise<ReadVersion | undefined> {
  const { source, tag, component, version, signal } = wish
  const where = { source: `${source.name}:${tag}` }
  const top = await source.manifest({ name: tag }, signal)
  if (top === undefined) return undefined
  let manifest = top
  if (top.kind === 'index') {
    // Newer tools put the version first among the artifacts that belong to it.
    const [first] = top.manifests
    if (first === undefined) return fail('ocm.descriptor.invalid', 'index has no manifests', { where })
    const found = await source.manifest({ digest: first.digest }, signal)
    if (found === undefined) return fail('artifact.not-found', first.digest, { where })
    manifest = found
  }
  if (manifest.kind !== 'manifest')
    return fail('ocm.descriptor.invalid', 'first manifest in index is not a manifest', { where })
  const descriptor = await readLayer(await descriptorLayer(manifest, wish), wish)
  if (descriptor.version !== version)
    return fail(
      'ocm.descriptor.invalid',
      `component version ${descriptor.version} invalid: it lies under ${version}`,
      { where },
    )
  if (descriptor.name !== component)
    return fail(
      'ocm.descriptor.invalid',
      `component name ${descriptor.name} invalid: it lies under ${component}`,
      { where },
    )
  return { descriptor, manifest }
}

/** The layer that the configuration points at, else the first. */
async function descriptorLayer(
  manifest: ImageManifest,
  { source, signal }: VersionWish,
): Promise<Descriptor> {
  const { config, layers } = manifest
  const first =
    layers[0] ??
    fail('ocm.descriptor.invalid', 'its manifest has no layers', { where: { source: source.name } })
  if (config.size > documentBytesMax) return first
  const named = await namedLayer(await bytesOf(config, source, signal), source.name)
  return layers.find(({ digest }) => digest === named) ?? first
}

async function namedLayer(bytes: Uint8Array, source: string): Promise<string | undefined> {
  // The configuration may be of any kind: "{}" of newer tools, too.
  if (bytes.byteLength === 0) return undefined
  const layer = parseObject(bytes, source)['componentDescriptorLayer']
  const digest = isObject(layer) ? layer['digest'] : undefined
  return typeof digest === 'string' ? digest : undefined
}

async function readLayer(layer: Descriptor, { source, signal }: VersionWish): Promise<ComponentDescriptor> {
  if (layer.size > documentBytesMax)
    return fail('artifact.too-large', `a component descriptor of ${layer.size} bytes`, {
      where: { source: source.name },
    })
  const bytes = await bytesOf(layer, source, signal)
  const document = layer.mediaType.endsWith('+tar') ? descriptorInTar(bytes, source.name) : bytes
  return descriptorOf(document, source.name)
}

async function bytesOf(layer: Descriptor, source: Source, signal: AbortSignal): Promise<Uint8Array> {
  return await collect(checked(layer, (await source.blob(layer, 0, signal)).bytes), documentBytesMax)
}

/** Parses a descriptor. Problems: ocm.descriptor.invalid, all at once. */
export function descriptorOf(bytes: Uint8Array, source: string): ComponentDescriptor {
  const reading = readDescriptor(new TextDecoder().decode(bytes))
  return reading.kind === 'read' ? reading.value : refuse(reading.faults, 'ocm.descriptor.invalid', source)
}

const descriptorFile = 'component-descriptor.yaml'

function descriptorInTar(tar: Uint8Array, source: string): Uint8Array {
  const pieces: Uint8Array[] = []
  let state: 'before' | 'inside' | 'after' = 'before'
  const parser = tarParser({
    entry: ({ path, kind }) => {
      if (state === 'before' && kind === 'file' && path.replace(/^\.\//, '') === descriptorFile)
        state = 'inside'
    },
    body: (piece) => {
      if (state === 'inside') pieces.push(Uint8Array.from(piece))
    },
    end: () => {
      if (state === 'inside') state = 'after'
    },
  })
  parser.push(tar)
  parser.finish()
  return state === 'before'
    ? fail('ocm.descriptor.invalid', `the layer holds no ${descriptorFile}`, { where: { source } })
    : Buffer.concat(pieces)
}
