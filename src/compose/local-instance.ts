/** An instance that lives on this machine without a broker: acted on one action at a time, sealed in a file between. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemChance } from '../kit/clock.ts'
import { decode, encode } from '../kit/codec.ts'
import { ulid } from '../kit/id.ts'
import type { JsonObject } from '../kit/json.ts'
import type { Job } from '../model/job.ts'
import type { BindingAnswer, Carryover, Outcome, Output } from '../model/outcome.ts'
import { noChoice, type OperatorChoice, type Package, type Plan, type Service } from '../model/package.ts'
import { fail, failAll } from '../model/problem.ts'
import type { Action, Situation } from '../model/situation.ts'
import { contractNamed } from './read-package.ts'
import { runJob } from './run-job.ts'
import type { Listener, Workshop } from './workshop.ts'

export interface LocalInstance {
  readonly name: string
  readonly package: Package
  /** One that its package offers; absent: the first. */
  readonly plan?: string
  readonly state: 'ready' | 'failed'
  readonly operator: OperatorChoice
  readonly parameters: JsonObject
  readonly carryover: Carryover
  readonly bindings: Readonly<Record<string, LocalBinding>>
  readonly outputs: readonly Output[]
}

export interface LocalBinding {
  readonly carryover: Carryover
  /** Absent where its bind failed. */
  readonly answer?: BindingAnswer
}

export interface LocalOrder {
  readonly action: Action
  readonly binding?: string
  readonly parameters: JsonObject
}

/** The chain of jobs of one action is no longer than this. */
const stagesMax = 20

/** The instance of that name, if there is one. */
export function findLocal({ folder, sealer }: Workshop, name: string): LocalInstance | undefined {
  const file = fileOf(folder, name)
  if (!existsSync(file)) return undefined
  const envelope = decode<Parameters<typeof sealer.unseal>[2]>(readFileSync(file, 'utf8'))
  return decode<LocalInstance>(Buffer.from(sealer.unseal('local', name, envelope)).toString())
}

/** Keeps nothing of an instance any more, whatever its last action came to. */
export function forgetLocal({ folder }: Workshop, name: string): void {
  rmSync(fileOf(folder, name), { force: true })
}

/** A name that nothing was made under yet. */
export function newLocal(name: string, pkg: Package, operator: Partial<OperatorChoice> = {}): LocalInstance {
  return {
    name,
    package: pkg,
    state: 'failed',
    operator: { ...noChoice, ...operator },
    parameters: {},
    carryover: {},
    bindings: {},
    outputs: [],
  }
}

/**
 * Carries out one action and keeps what it leaves.
 * Problems: instance.failed, binding.unknown, those of the contract's refusal; a failed run is an outcome with problems.
 */
export async function actLocally(
  workshop: Workshop,
  instance: LocalInstance,
  order: LocalOrder,
  listener: Listener,
): Promise<{ readonly outcome: Outcome; readonly instance: LocalInstance }> {
  const { action } = order
  const bound = order.binding === undefined ? undefined : instance.bindings[order.binding]
  if (action.kind === 'bind' && instance.state !== 'ready') fail('instance.failed', instance.name)
  if (action.kind === 'unbind' && bound === undefined) fail('binding.unknown', order.binding)
  const settled = action.kind === 'provision' ? { ...instance, parameters: order.parameters } : instance
  const changed = action.kind === 'update' ? { ...instance, parameters: order.parameters } : settled
  const outcome = await perform(workshop, { now: changed, before: instance }, order, listener)
  const after = settle(outcome.problems.length === 0 ? changed : settled, order, outcome)
  if (after === undefined) forgetLocal(workshop, instance.name)
  else keep(workshop, after)
  return { outcome, instance: after ?? { ...settled, carryover: {}, bindings: {} } }
}

interface Acted {
  readonly now: LocalInstance
  /** As it was before this action. */
  readonly before: LocalInstance
}

async function perform(
  workshop: Workshop,
  acted: Acted,
  order: LocalOrder,
  listener: Listener,
): Promise<Outcome> {
  const contract = contractNamed(acted.now.package.contract)
  let situation = situationOf(acted, order)
  const prepared = contract.prepare(order.action, situation)
  if (prepared.kind === 'refused') failAll(prepared.problems)
  if (prepared.kind === 'nothing-to-run') return prepared.outcome
  let job: Job = prepared.job
  for (let stage = 0; stage < stagesMax; stage++) {
    const report = await runJob(workshop.room.engines, job, {
      cluster: 'local',
      purpose: order.action.kind,
      ...listener,
    })
    const conclusion = contract.conclude(order.action, situation, report)
    if (conclusion.kind === 'done') return conclusion.outcome
    job = conclusion.job
    situation = {
      ...situation,
      carryover: conclusion.carryover,
      operation: { ...situation.operation, stage: stage + 1 },
    }
  }
  return fail('operation.failed', `${order.action.kind} went on for more than ${stagesMax} stages`)
}

/** The service and plan of an instance, as its operator's choices make it. Problems: catalog.plan-unknown. */
export function localPlan(instance: LocalInstance): { readonly service: Service; readonly plan: Plan } {
  const contract = contractNamed(instance.package.contract)
  const offers = instance.package.services.flatMap((service) =>
    service.plans.map((plan) => ({ service, plan })),
  )
  const found =
    instance.plan === undefined ? offers[0] : offers.find(({ plan }) => plan.name === instance.plan)
  if (found === undefined) {
    if (offers.length === 0) return fail('package.invalid', 'it offers no plan')
    const names = offers.map(({ plan }) => plan.name).join(', ')
    return fail('catalog.plan-unknown', `${instance.plan}; it offers ${names}`)
  }
  const chosen = { ...found.plan, operator: instance.operator }
  const fitted = contract.offer?.(instance.package, chosen) ?? { plan: chosen, problems: [] }
  failAll(fitted.problems)
  return { service: found.service, plan: fitted.plan }
}

function situationOf({ now: instance, before }: Acted, order: LocalOrder): Situation {
  const { service, plan } = localPlan(instance)
  const bound = order.binding === undefined ? undefined : instance.bindings[order.binding]
  return {
    package: instance.package,
    service,
    plan,
    instance: { id: instance.name, name: instance.name, context: {}, parameters: instance.parameters },
    ...(order.binding === undefined
      ? {}
      : {
          binding: {
            id: order.binding,
            context: {},
            resource: {},
            carryover: bound?.carryover ?? {},
            ...(bound?.answer?.credentials === undefined ? {} : { credentials: bound.answer.credentials }),
          },
        }),
    parameters: order.parameters,
    ...(order.action.kind === 'update'
      ? {
          sent: order.parameters,
          before: { parameters: before.parameters, plan, version: before.package.version },
        }
      : {}),
    infrastructure: {},
    carryover: instance.carryover,
    operation: { id: ulid(Date.now(), systemChance), stage: 0, attempt: 1 },
    platform: 'local',
    now: Date.now(),
    random: (count) => systemChance.bytes(count),
  }
}

/** The instance after an action; undefined when nothing of it is left. */
function settle(
  instance: LocalInstance,
  { action, binding }: LocalOrder,
  outcome: Outcome,
): LocalInstance | undefined {
  const worked = outcome.problems.length === 0
  if (action.kind === 'deprovision' && worked) return undefined
  const kept: LocalInstance = {
    ...instance,
    carryover: outcome.carryover ?? instance.carryover,
    outputs: outcome.outputs ?? instance.outputs,
    ...(action.kind === 'provision' ? { state: worked ? 'ready' : 'failed' } : {}),
  }
  if (binding === undefined) return kept
  const { [binding]: before, ...others } = kept.bindings
  if (action.kind === 'unbind' && worked) return { ...kept, bindings: others }
  const after: LocalBinding = {
    carryover: outcome.bindingCarryover ?? before?.carryover ?? {},
    ...(action.kind === 'bind' && outcome.binding ? { answer: outcome.binding } : {}),
    ...(action.kind === 'unbind' && before?.answer ? { answer: before.answer } : {}),
  }
  return { ...kept, bindings: { ...others, [binding]: after } }
}

/** Written beside and moved, so that a crash leaves the old or the new one. */
function keep({ folder, sealer }: Workshop, instance: LocalInstance): void {
  const file = fileOf(folder, instance.name)
  const envelope = sealer.seal('local', instance.name, Buffer.from(encode(instance)))
  writeFileSync(`${file}.new`, encode(envelope), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function fileOf(folder: string, name: string): string {
  return join(folder, `${encodeURIComponent(name).replaceAll('.', '%2E')}.sealed`)
}
