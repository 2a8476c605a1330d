/** The Tweed contract: pattern images (v1), asked for their metadata, then run once per operation. */
import type { Contract } from '../contract.ts'
import { concludeTweed } from './conclude.ts'
import { offerTweed } from './offer.ts'
import { optionsOf } from './options.ts'
import { prepareTweed, refusesUpdates } from './prepare.ts'
import { readTweed, recogniseTweed } from './read.ts'

export { faultsOfParameters, patternNotes } from './looks.ts'

export const tweed: Contract = {
  name: 'tweed',
  recognise: recogniseTweed,
  read: readTweed,
  offer: offerTweed,
  prepare: prepareTweed,
  conclude: concludeTweed,
  // Operations are not idempotent by contract: none may run twice because its end was not seen.
  interrupted: () => 'give-up',
  refusesUpdates,
  unbindsFirst: false,
  // Authors never saw two binds at once, unless the operator of a plan says that they may be.
  bindsInParallel: ({ operator }) => optionsOf(operator.options).bindsInParallel,
}
