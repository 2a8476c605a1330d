/** The CNAB contract: bundles of an invocation image and the images it installs, run once per action. */
import type { Contract } from '../contract.ts'
import { concludeCnab } from './conclude.ts'
import { offerCnab } from './offer.ts'
import { prepareCnab } from './prepare.ts'
import { readCnab, recogniseCnab } from './read.ts'

export { actionOf } from './actions.ts'
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
  logsOutput,
  type Result,
  type ResultStatus,
  readResult,
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
export { appliedStateOf, changesBetween } from './installation/applied.ts'
export { cnabInstallation } from './installation/contract.ts'
export {
  type ClaimFiles,
  type Installation,
  type InstalledBundle,
  type Ledger,
  openLedger,
} from './installation/ledger.ts'
export {
  type InstallationOrder,
  installationAction,
  installationPackage,
  orderIn,
  parametersOf as installationParameters,
} from './installation/order.ts'
export { stagesOf } from './installation/plan.ts'
export {
  faultsOfRuns,
  modifies,
  noteIn,
  type RunNote,
  recordedDependencies,
  runsOf,
} from './installation/records.ts'
export { nameOf as stageInstallation, stageRun } from './installation/stage.ts'
export {
  bundleIn,
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
export { optionsOf } from './options.ts'
export { serviceSchema } from './service-hints.ts'
export { archivePlaces, type BundleSource, findBundle, type Relocation, relocated } from './source.ts'
export { typedValue } from './texts.ts'
export {
  readValueSet,
  type SourceKind,
  type ValueSet,
  valueFor,
} from './value-sets.ts'

export const cnab: Contract = {
  name: 'cnab',
  recognise: recogniseCnab,
  read: readCnab,
  offer: offerCnab,
  prepare: prepareCnab,
  conclude: concludeCnab,
  // What a run has left whose end was not seen is unknown: people decide what is tried next.
  interrupted: () => 'give-up',
  // Users and passwords may lie where the bundle itself does not look when it is taken down.
  unbindsFirst: true,
  // One run at a time per installation, as the specification of claims expects.
  bindsInParallel: () => false,
}
