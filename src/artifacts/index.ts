/** The door of the artifacts: what composition, engines and the command line are given of them. */

export type { OpenArchive } from './archive/archive-artifact.ts'
export { packZip } from './archive/pack-zip.ts'
export { type ArtifactStore, openArtifactStore } from './artifacts.ts'
export { type BuildSettings, type BuiltImage, buildImage } from './build.ts'
export { type OpenImageStore, openImageStore } from './images.ts'
export { usualArchiveLimits } from './limits.ts'
export { openLayoutTarget } from './oci/layout-writer.ts'
export type { OpenComponent } from './ocm/component-artifact.ts'
export { type HostSettings, type RegistrySettings, usualCredentialFiles } from './registry/settings.ts'
