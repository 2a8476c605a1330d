/** An action becomes a run of the invocation image, or is refused before anything starts. */
import { pointer } from '../../kit/json.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Prepared } from '../contract.ts'
import { unknownAddressees } from './addressees.ts'
import { answerOf, bindingsOf } from './bindings.ts'
import { memoryOf } from './memory.ts'
import { faultsAhead, stageJob } from './stage-job.ts'
import { type Plot, plotOf, refused } from './stages.ts'

export function prepareCnab(action: Action, situation: Situation): Prepared {
  const plotted = plotOf(action, situation)
  if (plotted.kind === 'refused') return plotted
  const { plot } = plotted
  if (plot.stages.length === 0) return withoutRun(action, situation, plot)
  // Nothing is started before everything that would follow is known to be in order.
  const faults = [...unknownAddressees(situation), ...faultsAhead(action, situation, plot)]
  if (faults.length > 0) return refused(faults)
  const prepared = stageJob(action, situation, plot)
  return prepared.kind === 'refused' ? prepared : { kind: 'job', job: prepared.job }
}

/** Bindings of bundles that have no action for them: what the installation wrote is handed out, and forgotten. */
function withoutRun(action: Action, situation: Situation, { bundle, hints }: Plot): Prepared {
  if (action.kind !== 'bind')
    return { kind: 'nothing-to-run', outcome: { problems: [], bindingCarryover: {} } }
  const [name] = Object.keys(situation.parameters)
  if (name !== undefined) {
    const where = { source: 'parameters', pointer: pointer('', name) }
    return {
      kind: 'refused',
      problems: [{ code: 'cnab.parameter.undefined', detail: 'bindings of this plan take none', where }],
    }
  }
  if (bindingsOf(bundle, hints).kind === 'none')
    return { kind: 'refused', problems: [{ code: 'cnab.bind.impossible', detail: bundle.name }] }
  const answered = answerOf(bundle, memoryOf(situation.carryover).outputs, hints)
  if (answered.kind === 'refused') return { kind: 'refused', problems: [answered.problem] }
  return { kind: 'nothing-to-run', outcome: { problems: [], binding: answered.answer } }
}
