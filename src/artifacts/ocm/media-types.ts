/** The media types of component versions, those of earlier years included. */

export const componentConfig = 'application/vnd.ocm.software.component.config.v1+json'
export const descriptorTar = 'application/vnd.ocm.software.component-descriptor.v2+yaml+tar'

const artifactSets =
  /^application\/vnd\.(?:oci\.image\.(?:manifest|index)\.v1|docker\.distribution\.manifest(?:\.list)?\.v2)\+tar(?:\+gzip)?$/

/** Whether a blob of this type is an OCI artifact packed as one file. */
export function isArtifactSet(mediaType: string): boolean {
  return artifactSets.test(mediaType)
}

/** The type of a packed artifact, by that of its manifest or index. */
export function artifactSetOf(manifestType: string): string {
  return `${manifestType.replace(/\+json$/, '')}+tar+gzip`
}
