/** What package commands need of the house: building, copying, reading and trying packages without a broker. */
import { tmpdir } from 'node:os'
import { type PackageContent, type Signature, toPackageContent } from '../api/package.ts'
import { buildPackage, copyPackage } from '../artifacts/packages.ts'
import { offersOf } from '../broker/offer.ts'
import { platformRefusals } from '../broker/offerable.ts'
import { registriesOfCommand } from '../host/registries.ts'
import { inspect, type Listener, openWorkshop } from '../host/workshop.ts'
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import { act, takingDown } from '../local/act.ts'
import { type LocalBroker, openLocalBroker } from '../local/local-broker.ts'
import { localOffers, planNamed } from '../local/offers.ts'
import { forgetInstance, type LocalOrder } from '../local/order.ts'
import type { ActionRan } from '../local/ran.ts'
import { trialName } from '../local/trial.ts'
import type { Package } from '../model/package.ts'
import { describeProblem, type Problem, toProblem } from '../model/problem.ts'
import type { Report } from '../model/report.ts'
import type { Action } from '../model/situation.ts'

export const packageTools = {
  build: (order: Parameters<typeof buildPackage>[0]) => buildPackage(order, sources()),
  copy: (order: Parameters<typeof copyPackage>[0]) => copyPackage(order, sources()),
}

function sources() {
  return { registries: registriesOfCommand(process.env), scratchFolder: tmpdir() }
}

export interface PackageWish {
  readonly reference: string
  readonly contract?: string
  readonly dataDir: string
  /** The file of a policy; absent: that of the environment. */
  readonly signingPolicy?: string
  /** Takes what was seen of the run in which a package described itself. */
  readonly described?: (report: Report) => void
  /** Takes what its author should mend of a package that is refused. */
  readonly doubted?: (warnings: readonly Problem[]) => void
}

export interface Inspected {
  readonly package: Package
  readonly content: PackageContent
  readonly warnings: readonly Problem[]
  readonly signatures: readonly Signature[]
  /** What platforms would refuse of it as it stands: a broker does not offer it. */
  readonly refusals: readonly Problem[]
}

/** Reads a package; only some contracts run something for it. Problems: all that is wrong with it at once. */
export async function inspectPackage(
  wish: PackageWish,
  listener: Listener,
  engine: 'auto' | 'none' = 'auto',
): Promise<Inspected> {
  const workshop = await openWorkshop(wish.dataDir, engine, wish.signingPolicy)
  try {
    const asked = { ...wish, tellSignatures: true }
    const { package: pkg, warnings, signatures } = await inspect(workshop, asked, listener)
    return { package: pkg, content: toPackageContent(pkg), warnings, signatures, refusals: refusalsOf(pkg) }
  } finally {
    await workshop.close()
  }
}

/** A package whose plans cannot be made out says so when it is ordered. */
function refusalsOf(pkg: Package): readonly Problem[] {
  const { offers, problems } = offersOf(pkg, { service: {}, plans: [], services: [], options: {} }, pkg.name)
  return problems.length > 0 ? [] : platformRefusals(offers)
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
  /** Settings of the contract, as a catalog would have them. */
  readonly options?: JsonObject
  /** Told of each stage as it ends, and what came of it unless it was refused. */
  ended(stage: Stage, ran?: ActionRan): void
}

/** Drives a package through its whole life: provision, update, bind, unbind, deprovision; answers whether all worked. */
export async function tryPackage(trial: Trial, listener: Listener): Promise<boolean> {
  const house = await openLocalBroker({ dataDir: trial.dataDir, engine: 'auto' })
  try {
    const { package: pkg } = await inspect(house.workshop, trial, listener)
    return await live(house, pkg, trial, listener)
  } finally {
    await house.close()
  }
}

type Ended = 'ok' | 'failed' | 'refused'

async function live(house: LocalBroker, pkg: Package, trial: Trial, listener: Listener): Promise<boolean> {
  const instance = trialName('check')
  const { service, plan } = planNamed(localOffers(pkg, trial.options), trial)
  const bindable = plan.bindable ?? service.bindable
  const kinds = ['provision', 'update', ...(bindable ? (['bind', 'unbind'] as const) : [])] as const
  const { parameters, bindParameters } = trial
  const given: Readonly<Record<string, JsonObject>> = {
    provision: parameters,
    update: parameters,
    bind: bindParameters,
  }
  const run = async (kind: Exclude<Action['kind'], 'invoke'>): Promise<Ended> => {
    const ofBinding = kind === 'bind' || kind === 'unbind'
    const order: LocalOrder = {
      action: { kind },
      instance,
      package: pkg,
      parameters: given[kind] ?? {},
      ...(ofBinding ? { binding: 'check' } : {}),
      ...(kind === 'provision' ? present({ plan: trial.plan, options: trial.options }) : {}),
    }
    try {
      const ran = await act(house, order, kind === 'deprovision' ? takingDown(listener) : listener)
      const fault = faultOf(kind, ran)
      trial.ended({ action: kind, ...present({ fault }) }, ran)
      return fault === undefined ? 'ok' : 'failed'
    } catch (error) {
      if (listener.leave?.aborted) throw error
      // A refusal ends the stage, not the trial: what was made must be taken down.
      const why = describeProblem(toProblem(error))
      trial.ended({ action: kind, ...(kind === 'update' ? { skipped: why } : { fault: why }) })
      return 'refused'
    }
  }
  let allWell = true
  for (const kind of kinds) {
    const ended = await run(kind)
    if (kind === 'provision' && ended === 'refused') return false
    // Parameters that suited provision suit update: a package that refuses them offers no updates.
    if (ended === 'ok' || (kind === 'update' && ended === 'refused')) continue
    allWell = false
    break
  }
  // Whatever happened: nothing is left behind.
  const down = await run('deprovision')
  if (down !== 'ok') await forgetInstance(house, instance)
  return down === 'ok' && allWell
}

function faultOf(kind: Action['kind'], { problems, binding }: ActionRan): string | undefined {
  if (problems.length > 0) return problems.map((problem) => describeProblem(problem)).join('; ')
  return kind === 'bind' && binding === undefined ? 'it answered no binding' : undefined
}
