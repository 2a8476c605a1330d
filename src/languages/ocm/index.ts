/** Documents of the Open Component Model as a library: descriptors, identities, references, normal forms, signatures, configurations. */
export type { Json, JsonObject } from '../../kit/json.ts'
export {
  type ConfiguredConsumer,
  type ConfiguredText,
  type CredentialSpec,
  emptyConfig,
  type OcmConfig,
  type Remembered,
  type Resolver,
  readConfig,
  resolversFor,
} from './config.ts'
export {
  type Choice,
  type Consumer,
  type ConsumerIdentity,
  type Credentials,
  findConsumer,
  isBetter,
  type Matcher,
  matcherFor,
  matchers,
} from './consumers.ts'
export { consumersOf, credentialsOf } from './credentials.ts'
export {
  type Access,
  accessType,
  type ComponentDescriptor,
  type Digest,
  type Element,
  type Identity,
  type Label,
  type NestedDigest,
  type Reference,
  type Resource,
  type SchemaVersion,
  type Signature,
  type SignatureValue,
  type Source,
  schemaVersions,
} from './descriptor.ts'
export { descriptorDigests, digestText, excluded, withNestedDigests } from './digests.ts'
export { withDockerFiles } from './docker-files.ts'
export type { OcmFault, OcmReading } from './fault.ts'
export { Fields } from './fields.ts'
export { findElement, fitsPattern, identityKey, identityOf, identityText, sameIdentity } from './identity.ts'
export {
  compareVersions,
  isComponentName,
  isElementName,
  isVersion,
  tagOfVersion,
  versionOfTag,
} from './names.ts'
export {
  type Normalisation,
  normalForm,
  normalForms,
  normalisationNamed,
  normalisations,
} from './normalise.ts'
export { labelOf, readDescriptor } from './read-descriptor.ts'
export {
  type ComponentReference,
  type FileFormat,
  parseComponentReference,
  type RepositorySpec,
  repositoryDocument,
  repositoryOf,
  repositoryOfSpec,
} from './reference.ts'
export {
  hashNamed,
  type SignatureAlgorithm,
  type SignatureVerdict,
  type SigningOrder,
  signatureAlgorithms,
  signDescriptor,
  type Trust,
  verifySignature,
} from './signature.ts'
export { descriptorDocument, writeDescriptor } from './write-descriptor.ts'
