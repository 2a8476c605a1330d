/** The sim contract: a package that pretends, for tests of a platform against a broker. */
import type { Contract } from '../contract.ts'
import { concludeSim } from './conclude.ts'
import { prepareSim } from './prepare.ts'
import { readSim, recogniseSim } from './read.ts'

export const sim: Contract = {
  name: 'sim',
  recognise: recogniseSim,
  read: readSim,
  asks: { program: 'pretend' },
  prepare: prepareSim,
  conclude: concludeSim,
  interrupted: () => 'run-again',
  unbindsFirst: false,
  bindsInParallel: () => true,
}
