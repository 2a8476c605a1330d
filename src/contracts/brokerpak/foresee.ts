/** What runs of a plan will need before one is ordered: its templates, initialised. */
import type { Job } from '../../model/job.ts'
import type { Situation } from '../../model/situation.ts'
import type { Offered } from '../contract.ts'
import { circumstancesOf } from './circumstances.ts'
import { hasTemplates } from './definition.ts'
import { applySteps } from './prepare.ts'
import { runOf } from './run.ts'

/** The same for all instances, as far as their templates and programs are. */
export function foreseePak(offered: Offered): readonly Job[] {
  const found = circumstancesOf({ ...nobodys, ...offered })
  if (found.kind === 'refused') return []
  const { around } = found
  const { provision, bind } = around.definition
  return [provision, bind].filter(hasTemplates).flatMap((action) => {
    const none = { variables: {}, kept: {}, state: undefined, destroys: false }
    const job = runOf(around, { action, ...none, steps: applySteps(around) })
    return 'code' in job || job.beforehand === undefined ? [] : [job.beforehand.job]
  })
}

/** Of an instance that is not ordered yet. */
const nobodys: Omit<Situation, keyof Offered> = {
  instance: { id: '', context: {}, parameters: {} },
  parameters: {},
  carryover: {},
  operation: { id: '', stage: 0, attempt: 1 },
  platform: '',
  now: 0,
  random: (count) => new Uint8Array(count),
}
