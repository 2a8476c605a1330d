/** Any action of any package on this machine, without a broker; what it leaves is kept, sealed, for the next. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkParameters, judgingSchema, mergeParameters } from '../broker/parameters.ts'
import type { JsonObject } from '../kit/json.ts'
import type { BindingAnswer, Output } from '../model/outcome.ts'
import type { CustomAction, Package } from '../model/package.ts'
import { fail, type Problem } from '../model/problem.ts'
import type { Action } from '../model/situation.ts'
import { buildFolder, isImageFolder } from './build-folder.ts'
import { actLocally, findLocal, type LocalInstance, localPlan, newLocal } from './local-instance.ts'
import { inspect, type Listener, openWorkshop, type Workshop } from './workshop.ts'

export interface RunWish {
  /** Where the package is; a folder with an `image.yml` is built first. */
  readonly reference: string
  readonly contract?: string
  readonly dataDir: string
  /** provision, update, bind, unbind, deprovision, or an action of the package's own. */
  readonly action: string
  /** The instance that is acted upon; kept on this machine between actions. */
  readonly name: string
  readonly binding: string
  /** Only provision chooses. */
  readonly plan?: string
  readonly parameters: JsonObject
  /** Where the files it hands out are written to. */
  readonly outputs?: string
}

export interface ActionRan {
  readonly problems: readonly Problem[]
  readonly message?: string
  readonly binding?: BindingAnswer
  readonly outputs: readonly Output[]
}

/** The reference of an image, built first where it is a folder. Problems: those of building. */
export async function builtImage(
  { reference, dataDir }: Pick<RunWish, 'reference' | 'dataDir'>,
  to?: string,
): Promise<string> {
  if (!isImageFolder(reference)) return reference
  return buildFolder({ folder: reference, dataDir, ...(to === undefined ? {} : { to }) })
}

/**
 * Runs one action as a broker would; a failed run is an answer with problems.
 * Problems: instance.exists, instance.unknown, instance.failed, binding.unknown, binding.exists, action.unknown,
 * parameters.invalid, those of refusals.
 */
export async function runAction(wish: RunWish, listener: Listener): Promise<ActionRan> {
  const reference = await builtImage(wish)
  const workshop = await openWorkshop(wish.dataDir)
  try {
    const { package: pkg } = await inspect(workshop, { ...wish, reference }, listener)
    return await act(workshop, pkg, wish, listener)
  } finally {
    await workshop.close()
  }
}

async function act(workshop: Workshop, pkg: Package, wish: RunWish, listener: Listener): Promise<ActionRan> {
  const { action, own } = actionOf(pkg, wish.action)
  const found = findLocal(workshop, wish.name)
  const instance = instanceFor(pkg, wish, { action, own, found })
  const ofBinding = action.kind === 'bind' || action.kind === 'unbind'
  const parameters = parametersFor(instance, wish, { action, own })
  const { outcome } = await actLocally(
    workshop,
    instance,
    { action, parameters, ...(ofBinding ? { binding: wish.binding } : {}) },
    listener,
  )
  const outputs = outcome.outputs ?? []
  if (wish.outputs !== undefined) writeOutputs(wish.outputs, outputs)
  return {
    problems: outcome.problems,
    outputs,
    ...(outcome.message === undefined ? {} : { message: outcome.message }),
    ...(outcome.binding === undefined ? {} : { binding: outcome.binding }),
  }
}

interface Chosen {
  readonly action: Action
  /** What the package says of an action of its own. */
  readonly own: CustomAction | undefined
}

const lifeCycle = ['provision', 'update', 'bind', 'unbind', 'deprovision'] as const

function actionOf(pkg: Package, name: string): Chosen {
  const kind = lifeCycle.find((one) => one === name)
  if (kind !== undefined) return { action: { kind }, own: undefined }
  const own = pkg.actions.find((action) => action.name === name)
  if (own !== undefined) return { action: { kind: 'invoke', name }, own }
  const names = [...lifeCycle, ...pkg.actions.map((action) => action.name)]
  return fail('action.unknown', `${name}; there are ${names.join(', ')}`, {
    hint: 'Show what it has: chandler package inspect REFERENCE',
  })
}

function instanceFor(
  pkg: Package,
  { name, plan, binding }: RunWish,
  { action, own, found }: Chosen & { readonly found: LocalInstance | undefined },
): LocalInstance {
  const { kind } = action
  if (plan !== undefined && kind !== 'provision') fail('usage.invalid', 'only provision chooses a plan')
  if (kind === 'provision' && found?.state === 'ready')
    fail('instance.exists', name, { hint: 'Use another --name, or run update or deprovision.' })
  if (kind !== 'provision' && found === undefined && !own?.stateless)
    fail('instance.unknown', name, { hint: 'Run provision first, with the same --name.' })
  if ((kind === 'update' || own?.stateless === false) && found?.state !== 'ready')
    fail('instance.failed', name)
  if (kind === 'bind' && found?.bindings[binding]?.answer !== undefined)
    fail('binding.exists', binding, { hint: 'Use another --binding, or run unbind first.' })
  // An author runs what was built last, not what the instance was made from.
  const instance = { ...(found ?? newLocal(name, pkg)), package: pkg }
  return plan === undefined ? instance : { ...instance, plan }
}

/** Checked as a broker would; an update changes what it names and keeps the rest. */
function parametersFor(
  instance: LocalInstance,
  { parameters: given }: RunWish,
  { action, own }: Chosen,
): JsonObject {
  const { plan } = localPlan(instance)
  switch (action.kind) {
    case 'provision':
      checkParameters(given, judgingSchema(plan, 'create'))
      return given
    case 'update':
      checkParameters(given, judgingSchema(plan, 'update'))
      return mergeParameters(instance.parameters, given)
    case 'bind':
      checkParameters(given, judgingSchema(plan, 'bind'))
      return given
    case 'invoke':
      checkParameters(given, own?.parameters)
      return given
    default:
      if (Object.keys(given).length > 0) fail('usage.invalid', `${action.kind} takes no parameters`)
      return action.kind === 'deprovision' ? instance.parameters : {}
  }
}

/** Names were checked to stay below the folder when they were collected. */
function writeOutputs(folder: string, outputs: readonly Output[]): void {
  for (const { name, content, state } of outputs) {
    if (state === 'missing' || state === 'too-large') continue
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content, { mode: 0o600 })
  }
}
