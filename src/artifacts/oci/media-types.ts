/** The media types of OCI and Docker schema 2, sorted by what is behind them. */

export const ociManifest = 'application/vnd.oci.image.manifest.v1+json'
export const ociIndex = 'application/vnd.oci.image.index.v1+json'
export const dockerManifest = 'application/vnd.docker.distribution.manifest.v2+json'
const dockerList = 'application/vnd.docker.distribution.manifest.list.v2+json'
export const ociConfig = 'application/vnd.oci.image.config.v1+json'
const dockerConfig = 'application/vnd.docker.container.image.v1+json'
export const ociLayer = 'application/vnd.oci.image.layer.v1.tar'
export const schemaOne = 'application/vnd.docker.distribution.manifest.v1+json'
const signedSchemaOne = 'application/vnd.docker.distribution.manifest.v1+prettyjws'

const manifests: readonly string[] = [ociManifest, dockerManifest]
const indexes: readonly string[] = [ociIndex, dockerList]

/**
 * What a request for a manifest must say it accepts; without it registries hide OCI manifests. Schema 1 comes last: some would
 * make it of what they have in a newer form.
 */
export const acceptedManifests = [...manifests, ...indexes, schemaOne, signedSchemaOne].join(', ')

export function isManifestType(mediaType: string): boolean {
  return manifests.includes(mediaType)
}

export function isIndexType(mediaType: string): boolean {
  return indexes.includes(mediaType)
}

export function isImageConfigType(mediaType: string): boolean {
  return mediaType === ociConfig || mediaType === dockerConfig
}

export type Compression = 'none' | 'gzip' | 'zstd'

/** How a layer's tar is compressed; undefined for what is no layer of a file system. */
export function compressionOf(mediaType: string): Compression | undefined {
  const found =
    /^application\/vnd\.(?:oci\.image\.layer(?:\.nondistributable)?\.v1\.tar|docker\.image\.rootfs\.(?:diff|foreign\.diff)\.tar)(?:[.+](gzip|zstd))?$/.exec(
      mediaType,
    )
  if (found === null) return undefined
  return (found[1] as Compression | undefined) ?? 'none'
}

/** Layers that a registry need not hold. */
export function isForeignLayer(mediaType: string): boolean {
  return /nondistributable|\.foreign\./.test(mediaType)
}
