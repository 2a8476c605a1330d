/** What an action comes to: the executor, its configuration, its parameters and credentials, each with how it came about. */
import type { JsonObject } from '../../kit/json.ts'
import { escapeData } from '../../languages/spiff/index.ts'
import type { Problem } from '../../model/problem.ts'
import type { Action, Situation } from '../../model/situation.ts'
import { executorFor, wordFor } from './actions.ts'
import { lentBy, type Resolved, resolve } from './credentials.ts'
import { evaluations, type Layered, layered } from './layers.ts'
import { memoryOf } from './memory.ts'
import { type Executor, type Notes, notesOf } from './notes.ts'
import { type Options, optionsOf } from './options.ts'
import { mapped } from './parameters.ts'
import { wantedCredentials } from './requests.ts'
import type { Surroundings, Text } from './spiff.ts'

/** What is known of an action before anything is evaluated, and still is when it has ended. */
export interface Scene {
  readonly notes: Notes
  readonly options: Options
  /** In the package's words. */
  readonly word: string
  readonly executor: Executor
  /** The parameters that count, as they were given. */
  readonly given: JsonObject
}

export type Sceneries =
  | { readonly kind: 'scene'; readonly scene: Scene }
  /** The package has no such action, and needs none. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

/** Problems: toi.executor.missing. */
export function sceneOf(action: Action, situation: Situation): Sceneries {
  const notes = notesOf(situation.package)
  const options = optionsOf(situation.plan.operator.options)
  const word = wordFor(action, notes, options)
  if (word === undefined) return { kind: 'nothing' }
  const executor = executorFor(notes, word, options)
  const refuse = (detail: string): Sceneries => ({
    kind: 'refused',
    problems: [{ code: 'toi.executor.missing', detail }],
  })
  if (executor === undefined) return refuse(`no executor found for action ${word}`)
  if (executor.offers !== undefined && !executor.offers.includes(word))
    return refuse(`action ${word} is not supported by the toi executor ${executor.image.reference}`)
  return { kind: 'scene', scene: { notes, options, word, executor, given: givenIn(action, situation) } }
}

/** All that an executor is given. */
export interface Plot {
  readonly config: Exclude<Layered, { kind: 'failed' }>
  readonly parameters: Exclude<Layered, { kind: 'failed' }>
  readonly credentials: Resolved
}

export type Plotted =
  | { readonly kind: 'plot'; readonly plot: Plot }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

/** Problems: toi.config.invalid, toi.credentials.*, toi.parameters.invalid, toi.mapping.failed. */
export function plotOf(scene: Scene, situation: Situation, trace = false): Plotted {
  const { notes, executor, given } = scene
  const around: Surroundings = { random: situation.random, now: situation.now, trace }
  const problems: Problem[] = []
  const said = executor.config && { name: 'config', text: JSON.stringify(executor.config.value) }
  const config = layered('executor config', executor.layers, said, around)
  if (config.kind === 'failed') problems.push({ code: 'toi.config.invalid', detail: config.message })
  const credentials = credentialsFor({ notes, executor, situation }, around, problems)
  const own = layered('parameter data', notes.layers, givenText(given, scene), around)
  if (own.kind === 'failed') {
    const { message, places = [] } = own
    const told = places.length === 0 ? {} : { places }
    problems.push({ code: 'toi.parameters.invalid', detail: message, ...told })
  }
  const [first, ...rest] = problems
  if (first !== undefined || config.kind === 'failed' || own.kind === 'failed')
    return refused([first ?? { code: 'toi.parameters.invalid' }, ...rest])
  const parameters = mapped(executor.parameterMapping, own, { ...around, credentials: credentials.sets })
  if (parameters.kind === 'failed')
    return refused([{ code: 'toi.mapping.failed', detail: parameters.message }])
  return { kind: 'plot', plot: { config, parameters, credentials } }
}

/** What counts as given: of the operator and the user, and for what comes after an install what it was made with. */
function givenIn({ kind }: Action, { parameters, instance, plan, carryover }: Situation): JsonObject {
  const { defaults, inputs } = plan.operator
  if (kind === 'provision' || kind === 'update') return { ...defaults, ...parameters, ...inputs }
  const before = memoryOf(carryover).parameters ?? { ...defaults, ...instance.parameters, ...inputs }
  return kind === 'deprovision' ? before : { ...before, ...parameters, ...inputs }
}

/** What users of a platform send is data, whatever it looks like: as many levels of escaping as there are evaluations. */
function givenText(given: JsonObject, { notes, executor, options }: Scene): Text | undefined {
  if (Object.keys(given).length === 0) return undefined
  let value = given
  const levels = options.expressions ? 0 : evaluations(notes.layers, executor.parameterMapping !== undefined)
  for (let i = 0; i < levels; i++) value = escapeData(value as never, true) as JsonObject
  return { name: 'parameters', text: JSON.stringify(value) }
}

function credentialsFor(
  {
    notes,
    executor,
    situation,
  }: { readonly notes: Notes; readonly executor: Executor; readonly situation: Situation },
  around: Surroundings,
  problems: Problem[],
): Resolved {
  const { wanted, problems: mismatches } = wantedCredentials(
    notes.credentials,
    executor.credentials,
    executor.credentialMapping,
  )
  const { lent, problems: faults } = lentBy(situation.infrastructure, around)
  const { resolved, problems: missing } = resolve(wanted, lent, notes.consumer)
  problems.push(...mismatches, ...faults, ...missing)
  return resolved
}

function refused(problems: readonly [Problem, ...Problem[]]): Plotted {
  return { kind: 'refused', problems }
}
