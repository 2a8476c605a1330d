/** The brokerpak contract: services made by Terraform, of both brokers' dialects. */
import type { Contract } from '../contract.ts'
import { concludePak } from './conclude.ts'
import { isDuePak } from './due.ts'
import { foreseePak } from './foresee.ts'
import { offerPak } from './offer.ts'
import { preparePak } from './prepare.ts'
import { readPak, recognisePak } from './read.ts'

export { type Moved, moveEnvironment } from './environment.ts'
export { credentialFaults, examplesOf, type PakExample } from './examples.ts'
export { manualOf } from './manual.ts'
export { type Notes as PakNotes, notesOf as pakNotes } from './notes.ts'
export { type ProgramSource, packingOf } from './pack.ts'

export const brokerpak: Contract = {
  name: 'brokerpak',
  recognise: recognisePak,
  read: readPak,
  offer: offerPak,
  foresee: foreseePak,
  asks: { program: 'tools', severalSteps: true },
  prepare: preparePak,
  conclude: concludePak,
  isDue: isDuePak,
  // Destroying twice is destroying once; making twice is not, while the state of the first try may be lost.
  interrupted: (action) =>
    action.kind === 'provision' || action.kind === 'bind' || action.kind === 'update'
      ? 'give-up'
      : 'run-again',
  unbindsFirst: true,
  bindsInParallel: () => true,
}
