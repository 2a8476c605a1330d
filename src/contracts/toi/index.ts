/** The TOI contract: packages in OCM component versions, carried out by executors that read their inputs from files. */
import type { Contract } from '../contract.ts'
import { concludeToi } from './conclude.ts'
import { notesOf } from './notes.ts'
import { offerToi } from './offer.ts'
import { prepareToi } from './prepare.ts'
import { readToi, recogniseToi } from './read.ts'

export { wordFor } from './actions.ts'
export { patternOf } from './choose.ts'
export { configFile, credentialsFile } from './credentials.ts'
export { type Notes as ToiNotes, notesOf as toiNotes } from './notes.ts'
export { optionsOf as toiOptions } from './options.ts'
export { type Rehearsal, rehearse } from './rehearse.ts'

export const toi: Contract = {
  name: 'toi',
  recognise: recogniseToi,
  read: readToi,
  offer: offerToi,
  keeps: (pkg) => {
    const { archive, images } = notesOf(pkg)
    return [archive, ...images]
  },
  evaluates: true,
  prepare: prepareToi,
  conclude: concludeToi,
  // What a run has left whose end was not seen is unknown: people decide what is tried next.
  interrupted: () => 'give-up',
  unbindsFirst: false,
  // One run at a time per installation: executors know of one only.
  bindsInParallel: () => false,
}
