/** What an action would be given, without running it: every stage on the way, and where each value came from. */
import { redactText } from '../../kit/redact.ts'
import type { Problem } from '../../model/problem.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Step } from './layers.ts'
import { plotOf, sceneOf } from './plot.ts'

export interface Rehearsal {
  readonly image: string
  readonly arguments: readonly string[]
  /** Credentials by the executor's names, with their properties; never a value. */
  readonly credentials: Readonly<Record<string, readonly string[]>>
  /** Stages of the configuration, then of the parameters; secrets are masked. */
  readonly steps: readonly Step[]
  readonly outputs: readonly string[]
  readonly warnings: readonly Problem[]
}

export type Rehearsed =
  | { readonly kind: 'rehearsal'; readonly rehearsal: Rehearsal }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

export function rehearse(action: Action, situation: Situation): Rehearsed {
  const found = sceneOf(action, situation)
  if (found.kind === 'refused') return found
  if (found.kind === 'nothing')
    return { kind: 'refused', problems: [{ code: 'toi.executor.missing', detail: action.kind }] }
  const { scene } = found
  const plotted = plotOf(scene, situation, true)
  if (plotted.kind === 'refused') return plotted
  const { config, parameters, credentials } = plotted.plot
  const secrets = Object.values(credentials.sets).flatMap((set) => Object.values(set))
  const stepsOf = (one: typeof config): readonly Step[] =>
    one.kind === 'document'
      ? one.steps.map((step) => ({ ...step, text: redactText(step.text, secrets) }))
      : []
  return {
    kind: 'rehearsal',
    rehearsal: {
      image: `${scene.executor.image.reference}`,
      arguments: [scene.word, `${scene.notes.component}:${scene.notes.version}`],
      credentials: Object.fromEntries(
        Object.entries(credentials.sets).map(([name, set]) => [name, Object.keys(set)]),
      ),
      steps: [...stepsOf(config), ...stepsOf(parameters)],
      outputs: Object.values(scene.executor.outputs),
      warnings: credentials.warnings,
    },
  }
}
