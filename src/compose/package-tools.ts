/** What package commands need of the house: building, copying, reading and trying packages without a broker. */
import { tmpdir } from 'node:os'
import { type PackageContent, toPackageContent } from '../api/package.ts'
import { buildPackage, copyPackage } from '../artifacts/packages.ts'
import type { JsonObject } from '../kit/json.ts'
import type { BindingAnswer } from '../model/outcome.ts'
import { describeProblem, type Problem, toProblem } from '../model/problem.ts'
import type { Action } from '../model/situation.ts'
import { actLocally, forgetLocal, type LocalInstance, localPlan, newLocal } from './local-instance.ts'
import { usualRegistries } from './registries.ts'
import { inspect, type Listener, openWorkshop, type Workshop } from './workshop.ts'

export const packageTools = {
  build: (order: Parameters<typeof buildPackage>[0]) => buildPackage(order, sources()),
  copy: (order: Parameters<typeof copyPackage>[0]) => copyPackage(order, sources()),
}

function sources() {
  return { registries: usualRegistries(process.env), scratchFolder: tmpdir() }
}

export interface PackageWish {
  readonly reference: string
  readonly contract?: string
  readonly dataDir: string
}

export interface Inspected {
  readonly content: PackageContent
  readonly warnings: readonly Problem[]
}

/** Reads a package. Problems: all that is wrong with it at once. */
export async function inspectPackage(wish: PackageWish, listener: Listener): Promise<Inspected> {
  const workshop = await openWorkshop(wish.dataDir)
  try {
    const { package: pkg, warnings } = await inspect(workshop, wish, listener)
    return { content: toPackageContent(pkg), warnings }
  } finally {
    await workshop.close()
  }
}

export interface Stage {
  readonly action: string
  /** Absent: it worked, or was skipped. */
  readonly fault?: string
  /** Why the package has no such action. */
  readonly skipped?: string
}

export interface Trial extends PackageWish {
  readonly parameters: JsonObject
  readonly bindParameters: JsonObject
  /** The plan that is tried; absent: the first. */
  readonly plan?: string
  /** Told of each stage as it ends. */
  ended(stage: Stage): void
}

/** Drives a package through its whole life: provision, update, bind, unbind, deprovision; answers whether all worked. */
export async function tryPackage(trial: Trial, listener: Listener): Promise<boolean> {
  const workshop = await openWorkshop(trial.dataDir)
  const name = `check-${process.pid}`
  try {
    const { package: pkg } = await inspect(workshop, trial, listener)
    const made = newLocal(name, pkg)
    const chosen = trial.plan === undefined ? made : { ...made, plan: trial.plan }
    return await live(workshop, chosen, trial, listener)
  } finally {
    forgetLocal(workshop, name)
    await workshop.close()
  }
}

async function live(
  workshop: Workshop,
  made: LocalInstance,
  trial: Trial,
  listener: Listener,
): Promise<boolean> {
  const { service, plan } = localPlan(made)
  const bindable = plan.bindable ?? service.bindable
  const kinds = ['provision', 'update', ...(bindable ? (['bind', 'unbind'] as const) : [])] as const
  let instance = made
  const act = async (kind: Exclude<Action['kind'], 'invoke'>): Promise<'ok' | 'failed' | 'refused'> => {
    const ofBinding = kind === 'bind' || kind === 'unbind'
    const order = {
      action: { kind },
      parameters: ofBinding ? trial.bindParameters : trial.parameters,
      ...(ofBinding ? { binding: 'check' } : {}),
    }
    try {
      const { outcome, instance: after } = await actLocally(workshop, instance, order, listener)
      instance = after
      const fault = faultOf(kind, outcome.problems, outcome.binding)
      trial.ended({ action: kind, ...(fault === undefined ? {} : { fault }) })
      return fault === undefined ? 'ok' : 'failed'
    } catch (error) {
      // A refusal ends the stage, not the trial: what was made must be taken down.
      const why = describeProblem(toProblem(error))
      trial.ended({ action: kind, ...(kind === 'update' ? { skipped: why } : { fault: why }) })
      return 'refused'
    }
  }
  let allWell = true
  for (const kind of kinds) {
    const ended = await act(kind)
    if (kind === 'provision' && ended === 'refused') return false
    // Parameters that suited provision suit update: a package that refuses them offers no updates.
    if (ended === 'ok' || (kind === 'update' && ended === 'refused')) continue
    allWell = false
    break
  }
  // Whatever happened: nothing is left behind.
  return (await act('deprovision')) === 'ok' && allWell
}

function faultOf(
  kind: Action['kind'],
  problems: readonly Problem[],
  binding: BindingAnswer | undefined,
): string | undefined {
  if (problems.length > 0) return problems.map((problem) => describeProblem(problem)).join('; ')
  return kind === 'bind' && binding === undefined ? 'it answered no binding' : undefined
}
