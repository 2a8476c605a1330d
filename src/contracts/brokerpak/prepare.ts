/** What is run for an action of a pak: checks, variables, then the commands over a workspace. */
import { never } from '../../kit/assert.ts'
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Job, Step } from '../../model/job.ts'
import type { Outcome, Output } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Prepared } from '../contract.ts'
import { importsOf, isAdoption } from './adopt.ts'
import { type Circumstances, circumstancesOf } from './circumstances.ts'
import { hasTemplates } from './definition.ts'
import { asApplied, asCarriedOut, asDue } from './due.ts'
import { parameterProblems, placesOf, sentParameters } from './parameters.ts'
import { attributeValues, resolveBinding, resolveInstance } from './resolve.ts'
import { type RunOrder, runOf } from './run.ts'
import { isEmpty, mainName, outputsOf, readState, shownOutputs, stateName, stateOf } from './state.ts'
import {
  afterInit,
  applyStep,
  type Commands,
  destroyStep,
  getStep,
  importStep,
  lookSteps,
  replaceSteps,
  showStep,
} from './steps.ts'
import { newerState, nextEngine } from './upgrade.ts'
import type { Resolution } from './variables.ts'

type Steps = RunOrder['steps']

/** Problems: pak.parameters.*, pak.environment.missing, pak.import.incomplete, pak.state.*, pak.binary.missing. */
export function preparePak(asked: Action, at: Situation): Prepared {
  const { action, situation } = asCarriedOut(asked, at)
  const found = circumstancesOf(situation)
  if (found.kind === 'refused') return found
  const { around } = found
  switch (action.kind) {
    case 'provision':
      return provision(around, action)
    case 'update':
      return update(around, action)
    case 'deprovision':
      return deprovision(around)
    case 'bind':
      return bind(around, action)
    case 'unbind':
      return unbind(around)
    case 'invoke':
      return invoke(around, action.name)
    default:
      return never(action)
  }
}

function provision(around: Circumstances, action: Action): Prepared {
  const refused = parameterProblems(around, action)
  if (refused.length > 0) return refuse(refused)
  const { situation, definition, plan } = around
  // The state is handed in later, by an import.
  if (situation.parameters['vacant'] === true) {
    const carryover = { [stateName]: Buffer.from('{"version":4}') }
    return nothing({ carryover: asApplied(carryover, situation.package.digest) })
  }
  const resolved = resolveInstance(around, situation.parameters)
  if (!isAdoption(definition.provision, plan.properties))
    return instanceRun(around, resolved, applySteps(around))
  const { missing, pairs } = importsOf(definition.provision, situation.parameters)
  if (missing.length > 0) {
    const detail = `must provide values for all import parameters: ${missing.join(', ')}`
    return refuse([{ code: 'pak.import.incomplete', detail }])
  }
  return instanceRun(around, resolved, (commands, { layout }) => {
    const imports = pairs.map(([address, id], i) =>
      importStep(commands, i, layout === 'module' ? `module.instance.${address}` : address, id),
    )
    const [first = showStep(commands), ...rest] = [...imports, showStep(commands)]
    return [afterInit(commands, first), ...rest]
  })
}

function update(around: Circumstances, action: Action): Prepared {
  const refused = parameterProblems(around, action)
  if (refused.length > 0) return refuse(refused)
  const { situation, definition, plan } = around
  const adopts = isAdoption(definition.provision, plan.properties)
  if (adopts && situation.before !== undefined && situation.before.plan.name !== situation.plan.name) {
    const detail = `cannot update to subsume plan ${situation.plan.name}`
    return refuse([{ code: 'pak.parameters.refused', detail }])
  }
  const wrong = stateProblem(around)
  if (wrong) return refuse([wrong])
  const version = nextEngine(around, around.state)
  return instanceRun(around, resolveInstance(around, updatedParameters(around, action)), applySteps(around), {
    version,
  })
}

/** Stored parameters, then what the state says, then what was sent. */
export function updatedParameters(around: Circumstances, action: Action): JsonObject {
  const { situation } = around
  return { ...situation.parameters, ...attributeValues(around), ...sentParameters(around, action) }
}

function deprovision(around: Circumstances): Prepared {
  const { state, situation } = around
  if (isEmpty(state)) return nothing({ carryover: {} })
  const wrong = stateProblem(around)
  if (wrong) return refuse([wrong])
  const resolved = orStored(around, resolveInstance(around, situation.parameters))
  return instanceRun(around, resolved, destroySteps(around), { destroys: true })
}

function bind(around: Circumstances, action: Action): Prepared {
  const refused = parameterProblems(around, action)
  if (refused.length > 0) return refuse(refused)
  const resolved = resolveBinding(around, around.situation.parameters)
  if (resolved.kind === 'refused') return refuseResolution(resolved)
  if (!hasTemplates(around.definition.bind)) {
    return nothing({ binding: { credentials: outputsOf(around.state) }, bindingCarryover: {} })
  }
  return bindingRun(around, resolved, applySteps(around), false)
}

function unbind(around: Circumstances): Prepared {
  const { situation } = around
  const state = stateOf(situation.binding?.carryover ?? {})
  if (isEmpty(state)) return nothing({ bindingCarryover: {} })
  if (state.kind === 'unreadable') return refuse([{ code: 'pak.state.unreadable', detail: state.detail }])
  const resolved = orStored(around, resolveBinding(around, situation.parameters))
  return bindingRun(around, resolved, destroySteps(around), true)
}

/** What a pak can do beyond the life cycle. */
function invoke(around: Circumstances, name: string): Prepared {
  if (name === 'import-state') return importState(around)
  const wrong = stateProblem(around)
  if (wrong) return refuse([wrong])
  if (name === 'export-state')
    return nothing({ message: 'The state is exported.', outputs: [stateOutput(around)] })
  return name === 'preview' ? preview(around) : check(around)
}

/** The plan of an update that is judged as one and never applied. */
function preview(around: Circumstances): Prepared {
  const { situation } = around
  const { instance, plan, parameters: sent } = situation
  const asked: Circumstances = {
    ...around,
    situation: {
      ...situation,
      sent,
      parameters: { ...instance.parameters, ...sent },
      before: { parameters: instance.parameters, plan },
    },
  }
  const refused = parameterProblems(asked, { kind: 'update' })
  if (refused.length > 0) return refuse(refused)
  const resolved = resolveInstance(asked, updatedParameters(asked, { kind: 'update' }))
  return instanceRun(asked, resolved, lookingSteps(asked))
}

/** What an apply would do now: about what has changed outside, and about what was never carried out. */
function check(around: Circumstances): Prepared {
  const { parameters } = around.situation.instance
  const resolved = resolveInstance(around, { ...parameters, ...attributeValues(around) })
  return instanceRun(around, orStored(around, resolved), lookingSteps(around))
}

/** A state from elsewhere, instead of the one that is there. */
function importState(around: Circumstances): Prepared {
  const { situation } = around
  const given = situation.parameters['state']
  const bytes = new Uint8Array(Buffer.from(typeof given === 'string' ? given : JSON.stringify(given ?? null)))
  const state = readState(bytes)
  if (state.kind !== 'state') {
    const detail = state.kind === 'unreadable' ? state.detail : 'it is empty'
    return refuse([
      { code: 'pak.state.unreadable', detail, where: { source: 'parameters', pointer: '/state' } },
    ])
  }
  const newer = newerState(around, state)
  if (newer !== undefined) return refuse([{ code: 'pak.state.newer', detail: newer }])
  const { [mainName]: _imported, ...kept } = situation.carryover
  return nothing({
    message: 'The state is imported.',
    carryover: asDue({ ...kept, [stateName]: bytes }, 'imported'),
    outputs: shownOutputs(state),
  })
}

function stateOutput({ situation }: Circumstances): Output {
  const content = situation.carryover[stateName] ?? new Uint8Array()
  return { name: stateName, content, mediaType: 'application/json', secret: true }
}

function instanceRun(
  around: Circumstances,
  resolved: Resolution,
  steps: Steps,
  { version, destroys = false }: { readonly version?: string | undefined; readonly destroys?: boolean } = {},
): Prepared {
  if (resolved.kind === 'refused') return refuseResolution(resolved)
  const state = around.situation.carryover[stateName]
  return jobOr(
    runOf(around, {
      action: around.definition.provision,
      variables: resolved.variables,
      kept: resolved.kept,
      state,
      destroys,
      steps,
      ...present({ version }),
    }),
  )
}

function bindingRun(around: Circumstances, resolved: Resolution, steps: Steps, destroys: boolean): Prepared {
  if (resolved.kind === 'refused') return refuseResolution(resolved)
  const state = around.situation.binding?.carryover[stateName]
  const { variables, kept } = resolved
  return jobOr(runOf(around, { action: around.definition.bind, variables, kept, state, destroys, steps }))
}

/** Renamed providers first, where there is a state: without that the engine looks for the old ones. */
export function applySteps(around: Circumstances): Steps {
  return (commands) => afterReplacements(around, commands, [afterInit(commands, applyStep(commands))])
}

function destroySteps(around: Circumstances): Steps {
  return (commands) => afterReplacements(around, commands, [afterInit(commands, destroyStep(commands))])
}

/** What is done to the state for the sake of a look is not kept. */
function lookingSteps(around: Circumstances): Steps {
  return (commands) => afterReplacements(around, commands, lookSteps(commands))
}

function afterReplacements(
  around: Circumstances,
  commands: Commands,
  work: readonly [Step, ...Step[]],
): readonly [Step, ...Step[]] {
  const renames = replacements(around, commands)
  return renames.length === 0 ? work : [getStep(commands), ...renames, ...work]
}

function replacements({ situation, notes }: Circumstances, commands: Commands): readonly Step[] {
  const carryover = situation.binding?.carryover ?? situation.carryover
  if (stateOf(carryover).kind !== 'state' || commands.old) return []
  return replaceSteps(commands, notes.manifest.providerReplacements)
}

/** A destroy must not fail because a default cannot be computed any more. */
function orStored({ memory }: Circumstances, resolved: Resolution): Resolution {
  if (resolved.kind === 'variables') return resolved
  return { kind: 'variables', variables: memory.configuration, kept: memory.kept }
}

function stateProblem(around: Circumstances): Problem | undefined {
  const { state } = around
  if (state.kind === 'unreadable') return { code: 'pak.state.unreadable', detail: state.detail }
  const newer = newerState(around, state)
  return newer === undefined ? undefined : { code: 'pak.state.newer', detail: newer }
}

function refuseResolution(resolved: Resolution & { readonly kind: 'refused' }): Prepared {
  const places = placesOf(resolved.faults)
  const told = places.length === 0 ? {} : { places }
  return refuse([
    { code: 'pak.parameters.refused', detail: resolved.message, where: { source: 'parameters' }, ...told },
  ])
}

function jobOr(job: Job | Problem): Prepared {
  return 'code' in job ? refuse([job]) : { kind: 'job', job }
}

function refuse(problems: readonly Problem[]): Prepared {
  const [first = { code: 'pak.parameters.refused' }, ...rest] = problems
  return { kind: 'refused', problems: [first, ...rest] }
}

function nothing(outcome: Omit<Outcome, 'problems'>): Prepared {
  return { kind: 'nothing-to-run', outcome: { problems: [], ...outcome } }
}
