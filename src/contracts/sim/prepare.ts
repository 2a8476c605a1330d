/** An action becomes a pretended job; work that takes no time at all needs none. */
import { never } from '../../kit/assert.ts'
import type { JsonObject } from '../../kit/json.ts'
import { type Job, usualLimits } from '../../model/job.ts'
import type { Mode } from '../../model/package.ts'
import type { Problem } from '../../model/problem.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Prepared } from '../contract.ts'
import { outcomeOf } from './conclude.ts'
import { dashboardOf } from './dashboard.ts'
import { faultsOf, type Pretence, pretenceOf } from './format.ts'

export function prepareSim(action: Action, situation: Situation): Prepared {
  const [first, ...rest] = faultsOf(situation.parameters).map(
    (fault): Problem => ({
      code: 'parameters.invalid',
      detail: fault.message,
      where: { pointer: fault.pointer },
    }),
  )
  if (first) return { kind: 'refused', problems: [first, ...rest] }
  const pretence = pretenceFor(action, situation)
  const failsNow = pretence.fails && !hasFailedBefore(action, situation)
  const inBackground = modeOf(action, situation) !== 'sync'
  if (!inBackground || pretence.milliseconds === 0) {
    return { kind: 'nothing-to-run', outcome: outcomeOf(action, situation, !failsNow) }
  }
  return {
    kind: 'job',
    job: pretend(pretence, failsNow ? 1 : 0),
    dashboardUrl: dashboardOf(situation),
  }
}

/** Create and update are read from the request that starts the work, delete from the create parameters. */
function pretenceFor(action: Action, situation: Situation): Pretence {
  switch (action.kind) {
    case 'provision':
    case 'bind':
      return pretenceOf(situation.parameters, 'create')
    case 'update':
      return pretenceOf(requested(situation), 'update')
    case 'deprovision':
    case 'unbind':
      return pretenceOf(situation.parameters, 'delete')
    case 'invoke':
      return pretenceOf(situation.parameters, 'create')
    default:
      return never(action)
  }
}

/** An update that does not name `sim` must not repeat what an earlier one said. */
function requested(situation: Situation): JsonObject {
  const before = situation.before?.parameters['sim']
  const now = situation.parameters['sim']
  return JSON.stringify(before) === JSON.stringify(now) ? {} : situation.parameters
}

/** A failing delete fails once. */
function hasFailedBefore(action: Action, situation: Situation): boolean {
  if (action.kind === 'deprovision') return 'delete-failed' in situation.carryover
  if (action.kind === 'unbind') return 'delete-failed' in (situation.binding?.carryover ?? {})
  return false
}

function modeOf(action: Action, situation: Situation): Mode {
  return action.kind === 'bind' || action.kind === 'unbind'
    ? situation.plan.mode.binding
    : situation.plan.mode.instance
}

function pretend({ milliseconds, logEveryMs }: Pretence, exit: number): Job {
  const chatter = logEveryMs === undefined ? {} : { logEveryMs }
  return {
    program: { kind: 'pretend', milliseconds, exit, ...chatter },
    steps: [
      {
        name: 'pretend',
        command: { kind: 'entrypoint', arguments: [] },
        environment: {},
        streams: { kind: 'merged' },
      },
    ],
    files: [],
    folders: [],
    wants: [],
    needs: { cluster: 'none', network: 'none', readOnlyRoot: true },
    limits: { ...usualLimits, seconds: 86_400, graceSeconds: 1 },
  }
}
