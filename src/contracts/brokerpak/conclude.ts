/** What a Terraform run means: outputs, credentials, the state for next time, or the error it ended with. */
import type { JsonObject } from '../../kit/json.ts'
import type { Carryover, Outcome } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import type { Report, RunEnd } from '../../model/report.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Conclusion } from '../contract.ts'
import { adopted, destroyedBy, isAdoption } from './adopt.ts'
import { type Circumstances, circumstancesOf } from './circumstances.ts'
import { asApplied, asCarriedOut, asDue } from './due.ts'
import { describeError, errorsOf } from './failure.ts'
import { type Looked, looked, outputOf } from './look.ts'
import { applySteps, updatedParameters } from './prepare.ts'
import { resolveInstance } from './resolve.ts'
import { runOf } from './run.ts'
import {
  keptName,
  mainName,
  outputsOf,
  readState,
  type State,
  secretsIn,
  shownOutputs,
  stateName,
} from './state.ts'
import { afterInit, planStep } from './steps.ts'
import { nextEngine } from './upgrade.ts'

/** More than these are in the log. */
const errorsMax = 5

const verbs = {
  provision: 'provision',
  update: 'update',
  deprovision: 'deprovision',
  bind: 'bind',
  unbind: 'unbind',
  invoke: 'invoke',
}

export function concludePak(asked: Action, at: Situation, report: Report): Conclusion {
  const carriedOut = asCarriedOut(asked, at)
  const left = leftBy(carriedOut.situation, report)
  const { carryover, binding } = carriedOut.situation
  // What a run destroys it has seen: its state is that from before.
  const states = [left, carryover, binding?.carryover ?? {}].map(stateIn)
  return { ...conclusionOf(carriedOut, report, left), secrets: states.flatMap(secretsIn) }
}

function conclusionOf(
  { action, situation }: { readonly action: Action; readonly situation: Situation },
  report: Report,
  left: Carryover,
): Conclusion {
  const found = circumstancesOf(situation)
  if (found.kind === 'refused') return done({ problems: found.problems, ...keep(action, left) })
  const { around } = found
  const failure = failureOf(action, report)
  if (failure) {
    // What a failed import found has an owner: it is forgotten, so that nothing ever destroys it.
    const kept = isImport(action, around) ? { carryover: {} } : keep(action, left)
    return done({ problems: [failure], ...kept, ...afterwards(action) })
  }
  switch (action.kind) {
    case 'provision':
    case 'update':
      return grown(around, action, report, left)
    case 'deprovision':
      return done({ problems: [], carryover: {}, message: 'deprovision succeeded' })
    case 'bind':
      return bound(around, left)
    case 'unbind':
      return done({ problems: [], bindingCarryover: {}, message: 'unbind succeeded' })
    case 'invoke':
      return done(afterLook(action.name, situation, looked(action.name, report)))
  }
}

function isImport({ kind }: Action, { definition, plan }: Circumstances): boolean {
  return kind === 'provision' && isAdoption(definition.provision, plan.properties)
}

/** What a check has found is carried out by the next update, even if that asks for nothing. */
function afterLook(name: string, { carryover }: Situation, { differs, outcome }: Looked): Outcome {
  return name === 'check' && differs ? { ...outcome, carryover: asDue(carryover, 'drifted') } : outcome
}

/** Made or changed: the end of it, or the next stage of an import or an upgrade. */
function grown(around: Circumstances, action: Action, report: Report, left: Carryover): Conclusion {
  const later = { ...around, situation: { ...around.situation, carryover: left } }
  const shown = outputOf(report, 'show')
  if (shown !== undefined) return adoptionPlan(later, action, shown)
  const planned = outputOf(report, 'plan')
  if (planned !== undefined) return adoptionApply(later, action, planned)
  const state = stateIn(left)
  const version = nextEngine(around, state, state.kind === 'state' ? state.engine : undefined)
  if (version !== undefined) {
    return nextStage({ ...later, state }, action, { version, steps: applySteps(later) })
  }
  const { [configurationName]: _found, ...carryover } = left
  return done({
    problems: [],
    carryover: asApplied(carryover, around.notes.digest),
    message: succeeded(action, state),
    outputs: shownOutputs(state),
  })
}

/** What was imported becomes configuration; a plan tells whether it fits. */
function adoptionPlan(around: Circumstances, action: Action, show: string): Conclusion {
  const { situation, definition } = around
  const adoption = adopted(show, definition.provision)
  if (adoption === undefined) {
    const problem: Problem = {
      code: 'pak.run.failed',
      detail: 'what was imported cannot be read as configuration',
    }
    return done({ problems: [problem], carryover: {} })
  }
  const carryover = {
    ...situation.carryover,
    [mainName]: Buffer.from(adoption.main),
    [configurationName]: Buffer.from(JSON.stringify(adoption.configuration)),
  }
  const later = { ...around, situation: { ...situation, carryover } }
  return nextStage(later, action, {
    steps: (commands) => [afterInit(commands, planStep(commands))],
  })
}

function adoptionApply(around: Circumstances, action: Action, plan: string): Conclusion {
  if (destroyedBy(plan) > 0) {
    const detail = 'the plan shows that resources would be destroyed - cancelling subsume'
    return done({
      problems: [{ code: 'pak.import.destroys', detail }],
      carryover: {},
    })
  }
  return nextStage(around, action, { steps: applySteps(around) })
}

/** The values that stood in what was imported, between the stages of an import. */
const configurationName = 'imported-configuration.json'

function nextStage(
  around: Circumstances,
  action: Action,
  stage: { readonly version?: string; readonly steps: Parameters<typeof runOf>[1]['steps'] },
): Conclusion {
  const { situation, definition } = around
  const { carryover } = situation
  const isTaken = isImport(action, around)
  const left = isTaken ? {} : carryover
  const parameters = action.kind === 'update' ? updatedParameters(around, action) : situation.parameters
  const resolved = resolveInstance(around, parameters)
  if (resolved.kind === 'refused') {
    return done({
      problems: [{ code: 'pak.parameters.refused', detail: resolved.message }],
      carryover: left,
    })
  }
  const found = carryover[configurationName]
  const imported = found === undefined ? {} : (JSON.parse(Buffer.from(found).toString()) as JsonObject)
  const job = runOf(around, {
    action: definition.provision,
    variables: { ...resolved.variables, ...imported },
    kept: resolved.kept,
    state: carryover[stateName],
    destroys: false,
    ...stage,
  })
  if ('code' in job) return done({ problems: [job], carryover: left })
  return { kind: 'next', job, carryover, ...(isTaken ? { unstarted: {} } : {}) }
}

function bound(around: Circumstances, left: Carryover): Conclusion {
  const instance = outputsOf(around.state)
  const own = outputsOf(stateIn(left))
  const wins = around.options.credentials
  const credentials = wins === 'bind-wins' ? { ...instance, ...own } : { ...own, ...instance }
  return done({ problems: [], binding: { credentials }, bindingCarryover: left, message: 'bind succeeded' })
}

/** The state and memory that the run left, over those from before. */
function leftBy(situation: Situation, report: Report): Carryover {
  const before = situation.binding?.carryover ?? situation.carryover
  const got = [stateName, keptName].flatMap((name) => {
    const found = report.got.get(name)
    return found?.kind === 'bytes' ? [[name, found.bytes] as const] : []
  })
  return { ...before, ...Object.fromEntries(got) }
}

/** Whatever happened: what exists must be found again. */
function keep(action: Action, left: Carryover): Pick<Outcome, 'carryover' | 'bindingCarryover'> {
  switch (action.kind) {
    case 'bind':
    case 'unbind':
      return { bindingCarryover: left }
    case 'invoke':
      return {}
    case 'provision':
      return { carryover: left }
    default:
      return { carryover: asDue(left, 'failed') }
  }
}

/** A failed change leaves the instance as far as it came; trying again goes on from there. */
function afterwards(action: Action): Pick<Outcome, 'usable' | 'repeatable'> {
  return action.kind === 'update' || action.kind === 'deprovision' ? { usable: true, repeatable: true } : {}
}

function failureOf(action: Action, report: Report): Problem | undefined {
  const verb = verbs[action.kind]
  if (report.end.kind !== 'finished') {
    return { code: 'pak.run.failed', detail: `${verb} failed: the run ${howEnded(report.end)}` }
  }
  const bad = report.steps.find(
    ({ name, exit }) => exit !== 0 && !(action.kind === 'invoke' && name === 'plan' && exit === 2),
  )
  if (bad === undefined) return undefined
  // The last is the cause: an init begins with an error that only says that others follow.
  const errors = [...new Set(errorsOf(report.logTail).map(describeError))].toReversed()
  const said = errors.length === 0 ? `${bad.name} failed` : errors.slice(0, errorsMax).join('; ')
  return { code: 'pak.run.failed', detail: `${verb} failed: ${said} exit status ${bad.exit}` }
}

function howEnded(end: RunEnd): string {
  if (end.kind === 'limit') return `was ended by its ${end.limit} limit`
  return end.kind === 'lost' ? 'was lost' : `ended as ${end.kind}`
}

function succeeded(action: Action, state: State): string {
  const { status } = outputsOf(state)
  const text = `${verbs[action.kind]} succeeded`
  return typeof status === 'string' && status !== '' ? `${text}: ${status}` : text
}

function stateIn(carryover: Carryover): State {
  const bytes = carryover[stateName]
  return bytes === undefined ? { kind: 'none' } : readState(bytes)
}

function done(outcome: Outcome): Conclusion {
  return { kind: 'done', outcome }
}
