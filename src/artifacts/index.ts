/** The door of the artifacts: what composition, engines and the command line are given of them. */

export type { OpenArchive } from './archive/archive-artifact.ts'
export { type ArtifactStore, openArtifactStore } from './artifacts.ts'
export { usualArchiveLimits } from './limits.ts'
export { hostOf, type ImagesPlace, type ListedImage, type ListingLogin } from './listing/place.ts'
export type { OpenComponent } from './ocm/component-artifact.ts'
export {
  type HostSettings,
  type Login,
  type RegistrySettings,
  usualCertificateFolders,
  usualConfigurationFiles,
  usualCredentialFiles,
} from './registry/settings.ts'
