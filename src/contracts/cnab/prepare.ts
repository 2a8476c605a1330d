/** An action becomes a run of the invocation image, or is refused before anything starts. */
import { pointer } from '../../kit/json.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Prepared } from '../contract.ts'
import { unknownAddressees } from './addressees.ts'
import { answerOf, bindingsOf } from './bindings.ts'
import { memoryOf } from './memory.ts'
import { type Plot, plotOf, stageJob } from './stages.ts'

export function prepareCnab(action: Action, situation: Situation): Prepared {
  const plotted = plotOf(action, situation)
  if (plotted.kind === 'refused') return plotted
  const { plot } = plotted
  const [first, ...rest] = unknownAddressees(situation)
  if (first) return { kind: 'refused', problems: [first, ...rest] }
  if (plot.stages.length === 0) return withoutRun(action, situation, plot)
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
