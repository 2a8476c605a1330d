/** The conformance check of anybody's broker: looks, orders if it may, judges, and deletes what it ordered. */
import type { Clock } from '../../kit/clock.ts'
import { fail, type Problem, toProblem } from '../../model/problem.ts'
import type { BrokerConnection } from '../broker-connection.ts'
import { authorizationOf } from '../credentials.ts'
import { type Finding, type Judged, openBook } from './book.ts'
import { type Choice, type Chosen, choosePlans } from './choose.ts'
import { cleanUp } from './clean-up.ts'
import { type LedgerEntry, openLedger } from './ledger.ts'
import { plansOf } from './offers.ts'
import { accepts, type ChosenPlan, instanceThing, provisionBody } from './orders.ts'
import { probeBind } from './probes/bind.ts'
import { probeBroker } from './probes/broker.ts'
import { type LintCatalog, probeCatalog } from './probes/catalog.ts'
import { probeProvision, probeStanding } from './probes/provision.ts'
import { probeRace } from './probes/race.ts'
import { probeRefusedBinds, probeRefusedProvisions, probeUnknownTargets } from './probes/refusals.ts'
import { probeRemoval } from './probes/remove.ts'
import { probePlan, probeUpdate } from './probes/update.ts'
import { type Minor, minors } from './rules.ts'
import { type Session, type Setting, sessionFor } from './session.ts'

export interface CheckWish extends Choice {
  readonly connection: BrokerConnection
  readonly clock: Clock
  /** Names this run; ids of everything that is ordered are derived from it. */
  readonly run: string
  /** Absent: the highest that the broker serves. */
  readonly minor?: Minor
  /** Absent orders: nothing but GET is sent. */
  readonly order: boolean
  /** Milliseconds that one operation may take. */
  readonly waitMs: number
  /** Milliseconds after which nothing new is begun; what was ordered is deleted then. */
  readonly budgetMs: number
  readonly stop: AbortSignal
  readonly lint: LintCatalog
  readonly listener: CheckListener
}

export interface CheckListener {
  /** What is going to be ordered. */
  planned(chosen: Chosen, minor: Minor): void
  doing(what: string): void
  /** Something was ordered, or is gone. */
  ledger(entry: LedgerEntry): void
}

export interface CheckReport {
  readonly minor: Minor
  readonly run: string
  readonly ordered: boolean
  readonly chosen: Chosen
  readonly findings: readonly Finding[]
  readonly judged: readonly Judged[]
  readonly ledger: readonly LedgerEntry[]
  /** Why it did not come to its end. */
  readonly stopped?: string
}

/** Checks one broker. Problems: server.unreachable, osb.refused when it serves no version at all. */
export async function checkBroker(wish: CheckWish): Promise<CheckReport> {
  const { clock, connection, listener, waitMs, run } = wish
  const minor = wish.minor ?? (await negotiate(connection))
  const book = openBook(minor)
  const ledger = openLedger(listener.ledger)
  const begun = clock.monotonic()
  const mayGoOn = () => {
    if (wish.stop.aborted) fail('conformance.stopped', 'it was interrupted')
    if (clock.monotonic() - begun > wish.budgetMs) fail('conformance.stopped', 'its time is over')
  }
  const setting: Setting = { connection, clock, waitMs, run, minor, book, ledger, mayGoOn, stop: wish.stop }

  const broker = sessionFor('broker', setting)
  let chosen: Chosen = { plans: [], left: [] }
  let stopped: Problem | undefined
  try {
    const catalog = await probeCatalog(broker, wish.lint)
    const offered = plansOf(catalog, minor)
    chosen = choosePlans(offered, wish)
    listener.planned(chosen, minor)
    await attempt(() => probeBroker(broker, offered))
    if (wish.order) await orderAll(setting, chosen, listener)
  } catch (error) {
    stopped = toProblem(error)
    if (stopped.code !== 'conformance.stopped') throw error
  } finally {
    listener.doing('clean-up')
    await cleanUp(setting)
  }
  return {
    minor,
    run,
    ordered: wish.order,
    chosen,
    findings: book.findings(),
    judged: book.judged(),
    ledger: ledger.entries(),
    ...(stopped === undefined ? {} : { stopped: stopped.detail ?? stopped.code }),
  }
}

async function orderAll(setting: Setting, chosen: Chosen, listener: CheckListener): Promise<void> {
  const [first] = chosen.plans
  if (first !== undefined) {
    const session = sessionFor('broker', setting)
    await attempt(() => probeStranger(session, first))
  }
  for (const plan of chosen.plans) {
    const session = sessionFor(plan.subject, setting)
    await liveOne(session, plan, (what) => listener.doing(`${plan.subject}: ${what}`))
  }
}

/** An order of a caller without an account. */
async function probeStranger(session: Session, plan: ChosenPlan): Promise<void> {
  if (session.connection.credentials === undefined) return
  const makes = instanceThing(plan, session.id('stranger'))
  const body = provisionBody(plan, plan.parameters.create, session.minor)
  const sent = await session.send({
    method: 'PUT',
    path: makes.path,
    query: accepts,
    body,
    headers: { Authorization: undefined },
    makes,
  })
  session.judge('authentication.missing', sent, sent.answer.status === 401, '401')
}

/** The life of an instance of one plan. */
async function liveOne(session: Session, plan: ChosenPlan, doing: (what: string) => void): Promise<void> {
  const step = <T>(what: string, work: () => Promise<T>) => {
    doing(what)
    return attempt(work)
  }
  await step('orders to be refused', () => probeRefusedProvisions(session, plan))
  await step('orders about what nobody made', () => probeUnknownTargets(session, plan))
  const instance = await step('provision', () => probeProvision(session, plan))
  if (instance !== undefined) {
    await step('the same order again', () => probeStanding(session, plan, instance))
    await step('update', () => probeUpdate(session, plan, instance))
    await step('bindings to be refused', () => probeRefusedBinds(session, plan, instance.thing))
    const bindings = plan.bindable ? await step('bind', () => probeBind(session, plan, instance.thing)) : []
    for (const binding of bindings ?? [])
      await step('unbind', () => probeRemoval(session, plan, binding, 'unbind'))
    // Last, for another plan may work in another way.
    const moved = await step('another plan', () => probePlan(session, plan, instance.thing))
    const standing = moved ?? instance.thing
    await step('deprovision', () => probeRemoval(session, plan, standing, 'deprovision'))
  }
  await step('several orders at once', () => probeRace(session, plan))
}

/** A request that is not answered ends its probe and is told of; the others go on. */
async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    const problem = toProblem(error)
    if (problem.code !== 'server.unreachable') throw error
    return undefined
  }
}

/** The highest version that is not refused with 412. */
async function negotiate(connection: BrokerConnection): Promise<Minor> {
  for (const minor of minors.toReversed()) {
    const { status } = await connection.send({
      method: 'GET',
      path: '/v2/catalog',
      headers: {
        'X-Broker-API-Version': `2.${minor}`,
        Accept: 'application/json',
        ...(connection.credentials ? { Authorization: authorizationOf(connection.credentials) } : {}),
      },
    })
    if (status === 401 || status === 403)
      fail('request.unauthenticated', `the broker answers ${status} to the catalog`)
    if (status !== 412) return minor
  }
  return fail('osb.refused', 'it answers 412 to every version from 2.11 to 2.17')
}
