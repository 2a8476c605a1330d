/** The CNAB contract: bundles of an invocation image and the images it installs, run once per action. */
import type { Contract } from '../contract.ts'
import { concludeCnab } from './conclude.ts'
import { offerCnab } from './offer.ts'
import { prepareCnab } from './prepare.ts'
import { readCnab, recogniseCnab } from './read.ts'

export { actionOf, type BundleAction, recordOf } from './actions.ts'
export {
  type Bundle,
  definitionOf,
  isBinary,
  isInternal,
  isSensitive,
  typesOf,
} from './bundle.ts'
export {
  type Claim,
  claimCustom,
  claimDocument,
  givenIn,
  logsOutput,
  type Reading,
  type Result,
  type ResultStatus,
  readClaim,
  readResult,
  resultDocument,
  resultOf,
} from './claims.ts'
export { dependencyInstallation } from './dependencies.ts'
export { decide, readInstallationDocument } from './desired-state.ts'
export { type Explanation, explainBundle } from './explain.ts'
export { hasFileParameters } from './extensions.ts'
export { readBundle } from './format.ts'
export {
  currentOutputs,
  isOver,
  type RecordedRun,
  startOf,
  stateOf,
  statusOfResults,
} from './history.ts'
export { flattenedName } from './image-name.ts'
export { formatImageName, readImageName } from './images.ts'
export { inject } from './inject.ts'
export {
  bundleIn,
  bytesOf as bundleBytes,
  type KeptBundle,
  type Notes as CnabNotes,
  notesOf as cnabNotes,
} from './notes.ts'
export {
  type BundleImage,
  bundleImagesOf,
  bundleIndexOf,
  configBlobOf,
  configManifestsOf,
  type OciEntry,
  withImageFacts,
} from './oci-form.ts'
export {
  handledTypes,
  jobOfOperation,
  type Operation,
  operationDocument,
  operationOf,
  readOperation,
} from './operation.ts'
export { type Options as CnabOptions, optionsOf } from './options.ts'
export { file as runFile, jobOf } from './run.ts'
export { serviceSchema } from './service-hints.ts'
export { archivePlaces, type BundleSource, findBundle, type Relocation, relocated } from './source.ts'
export { sourcedValue } from './sources.ts'
export { textOfValue, typedValue } from './texts.ts'
export {
  readValueSet,
  type SourceKind,
  type ValueSet,
  valueFor,
} from './value-sets.ts'
export { resolveValues } from './values.ts'
export { judgeRun, type Verdict } from './verdict.ts'

export const cnab: Contract = {
  name: 'cnab',
  recognise: recogniseCnab,
  read: readCnab,
  offer: offerCnab,
  prepare: prepareCnab,
  conclude: concludeCnab,
  // What a run has left that nobody saw the end of is unknown: people decide what is tried next.
  interrupted: () => 'give-up',
  // Users and passwords may lie where the bundle itself does not look when it is taken down.
  unbindsFirst: true,
  // One run at a time per installation, as the specification of claims expects.
  bindsInParallel: () => false,
}
