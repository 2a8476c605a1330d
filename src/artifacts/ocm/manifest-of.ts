/** The manifest under which a component version is stored: its descriptor, and a layer for every blob that it brings. */
import { canonical, type Json } from '../../kit/json.ts'
import {
  type ComponentDescriptor,
  descriptorDocument,
  type Element,
  identityOf,
} from '../../languages/ocm/index.ts'
import { tarEnd, tarHeader, tarPadding } from '../archive/tar-writer.ts'
import { digestOf } from '../digest.ts'
import { type Descriptor, type ImageManifest, parseManifest } from '../oci/manifest.ts'
import { ociManifest } from '../oci/media-types.ts'
import { componentConfig, descriptorTar } from './media-types.ts'

/** A blob of a version, and whose it is. */
export interface LocalLayer {
  readonly blob: Descriptor
  readonly of: readonly { readonly kind: 'resource' | 'source'; readonly element: Element }[]
}

export interface BuiltManifest {
  readonly manifest: ImageManifest
  /** Small blobs that are made with it: the descriptor and the configuration. */
  readonly documents: ReadonlyMap<string, Uint8Array>
}

/** The same version is the same manifest, whichever process writes it. */
export function manifestOf(descriptor: ComponentDescriptor, layers: readonly LocalLayer[]): BuiltManifest {
  // JSON is YAML to every reader, whatever it makes of words like "on".
  const tar = oneFileTar(
    'component-descriptor.yaml',
    Buffer.from(JSON.stringify(descriptorDocument(descriptor), null, 2)),
  )
  const descriptorLayer = describeBytes(descriptorTar, tar)
  const config = Buffer.from(JSON.stringify({ componentDescriptorLayer: descriptorLayer }))
  const document = {
    schemaVersion: 2,
    mediaType: ociManifest,
    config: describeBytes(componentConfig, config),
    layers: [descriptorLayer, ...layers.map((layer) => layerEntry(layer, descriptor))],
    annotations: {
      'software.ocm.componentversion': `${descriptor.name}:${descriptor.version}`,
      'software.ocm.creator': 'chandler',
    },
  }
  const manifest = parseManifest(Buffer.from(JSON.stringify(document)), ociManifest, descriptor.name)
  return {
    manifest: manifest as ImageManifest,
    documents: new Map([
      [digestOf(tar), tar],
      [digestOf(config), config],
    ]),
  }
}

function layerEntry({ blob, of }: LocalLayer, descriptor: ComponentDescriptor): object {
  const owners = of.map(({ kind, element }): Json => {
    const list = kind === 'resource' ? descriptor.resources : descriptor.sources
    return { kind, identity: identityOf(list, element) }
  })
  const { mediaType, digest, size } = blob
  return { mediaType, digest, size, annotations: { 'software.ocm.artifact': canonical(owners) } }
}

function describeBytes(mediaType: string, bytes: Uint8Array): Descriptor {
  return { mediaType, digest: digestOf(bytes), size: bytes.byteLength }
}

/** An uncompressed tar of one file, as descriptors are stored. */
function oneFileTar(path: string, bytes: Uint8Array): Uint8Array {
  const entry = {
    kind: 'file',
    path,
    target: '',
    bytes: bytes.byteLength,
    mode: 0o644,
    uid: 0,
    gid: 0,
    mtime: 0,
  } as const
  return Buffer.concat([tarHeader(entry), bytes, tarPadding(bytes.byteLength), tarEnd()])
}
