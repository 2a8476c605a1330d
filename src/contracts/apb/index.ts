/** The Automation Broker's contract: service bundles (APB), images whose label holds an apb.yml, run once per action. */
import type { Contract } from '../contract.ts'
import { concludeApb } from './conclude.ts'
import { source } from './fields.ts'
import { describedBy } from './labels.ts'
import { offerApb } from './offer.ts'
import { optionsOf } from './options.ts'
import { prepareApb } from './prepare.ts'
import { readApb, recogniseApb } from './read.ts'

export { labelInstruction, labelsOf, readLabels, runtimeTwo, specLabel } from './labels.ts'
export { lintSpec, type SpecLint } from './lint.ts'
export { faultOfNames, movedBinding, movedInstance, sentParameters } from './moved.ts'

export const apb: Contract = {
  name: 'apb',
  recognise: recogniseApb,
  description: { file: source, read: describedBy },
  read: readApb,
  offer: offerApb,
  asks: { cluster: 'stand-in' },
  prepare: prepareApb,
  conclude: concludeApb,
  // Playbooks are written to be repeated, but a bundle that is not must not be run twice unasked.
  interrupted: () => 'give-up',
  unbindsFirst: false,
  bindsInParallel: ({ operator }) => optionsOf(operator.options).bindsInParallel,
}
