/** Installations of commands as a contract: each order runs a bundle with what it depends on, and is recorded. */
import { present } from '../../../kit/present.ts'
import { redactText, secretTexts } from '../../../kit/redact.ts'
import type { Job } from '../../../model/job.ts'
import { describeProblem, type Problem } from '../../../model/problem.ts'
import type { Report } from '../../../model/report.ts'
import type { Situation } from '../../../model/situation.ts'
import type { Conclusion, Contract, Prepared } from '../../contract.ts'
import { ofDependency, undoing, undoneMessage, withChain, withoutChain } from '../chain.ts'
import { resultOf } from '../claims.ts'
import { optionsOf } from '../options.ts'
import { runIds } from '../run-ids.ts'
import { judgeRun, type Verdict } from '../verdict.ts'
import { appliedStateOf } from './applied.ts'
import { dependenciesOf, type Ledger, openLedger } from './ledger.ts'
import { type InstallationOrder, installationPackage, orderIn } from './order.ts'
import { chainOf, type InstallationPlan, type InstallationStage, refused, stageOf, stagesOf } from './plan.ts'
import { customOf, writeClaim, writeResult } from './records.ts'
import { faultsOfStages, type StageRun, stageRun } from './stage.ts'

export const cnabInstallation: Contract = {
  name: installationPackage.contract,
  recognise: () => 'no',
  read: ({ reference }) => Promise.resolve(refused([{ code: 'package.unrecognised', detail: reference }])),
  prepare: (action, situation) =>
    action.kind === 'invoke' ? prepare(situation) : { kind: 'nothing-to-run', outcome: { problems: [] } },
  conclude: (_, situation, report) => conclude(situation, report),
  // What a run has left whose end was not seen is unknown: people decide what is tried next.
  interrupted: () => 'give-up',
  unbindsFirst: true,
  bindsInParallel: () => false,
}

function prepare({ parameters, carryover, operation }: Situation): Prepared {
  const order = orderIn(parameters)
  const ledger = openLedger(carryover)
  const planned = stagesOf(order, ledger, operation.id)
  if (planned.kind === 'refused') return planned
  const { stages } = planned
  const faults = operation.stage === 0 ? faultsOfStages(order, ledger, stages) : []
  if (faults.length > 0) return refused(faults)
  const stage = stages[operation.stage]
  if (stage === undefined) return refused([{ code: 'cnab.action.undefined', detail: order.action }])
  const run = stageRun(order, ledger, stage, operation)
  return run.kind === 'refused' ? run : { kind: 'job', job: run.job }
}

function conclude(situation: Situation, report: Report): Conclusion {
  const { parameters, carryover, operation } = situation
  const order = orderIn(parameters)
  const plan = stagesOf(order, openLedger(carryover), operation.id)
  if (plan.kind === 'refused') return { kind: 'done', outcome: { problems: plan.problems } }
  const ledger = openLedger(withoutChain(carryover))
  const stage = plan.stages[operation.stage]
  const run = stage && stageRun(order, ledger, stage, operation)
  if (stage === undefined || run === undefined || run.kind === 'refused')
    return { kind: 'done', outcome: { problems: run?.kind === 'refused' ? run.problems : [] } }
  const judged = judgeRun(
    { bundle: stage.bundle, action: stage.action.name, options: optionsOf(order.options) },
    report,
  )
  const verdict = { ...judged, message: redactText(judged.message, secretsOf(run.job)) }
  const problems = ofDependency(verdict.problems, stage.alias)
  const ran: Ran = { order, ledger, plan, stage, run, verdict, problems, report, operation }
  record(ran)
  const following = problems.length > 0 ? afterFailure(ran) : goOn(ran)
  return { ...following, secrets: madeBy(verdict) }
}

/** Outputs that are sensitive are hidden in the log, too. */
function madeBy({ outputs }: Verdict): readonly string[] {
  return outputs
    .filter(({ sensitive, internal }) => sensitive && !internal)
    .map(({ bytes }) => Buffer.from(bytes).toString())
}

/** The next run of the chain; the end, where there is none. */
function goOn(ran: Ran): Conclusion {
  const { order, ledger, plan, operation } = ran
  const next = operation.stage + 1
  const stage = plan.stages[next]
  if (stage === undefined) return done({ ...ran, problems: plan.because })
  const run = stageRun(order, ledger, stage, { id: operation.id, stage: next })
  if (run.kind === 'refused') return afterFailure({ ...ran, problems: run.problems })
  const unstarted = ledger.carryover()
  const carryover = withChain(unstarted, chainOf(plan, { operation: operation.id, next }))
  return { kind: 'next', job: run.job, carryover, unstarted }
}

/** What an install of several has made is uninstalled again, last first; so is what an upgrade has newly installed. */
function afterFailure(failed: Ran): Conclusion {
  const { order, ledger, plan, operation, report, problems } = failed
  const { stages, because } = plan
  const reached = stages.slice(0, operation.stage + 1)
  const ran = report.end.kind === 'not-started' ? reached.slice(0, -1) : reached
  // A run that was stopped, or whose end was not seen, is not undone: people decide what is tried next.
  const isKnown = report.end.kind !== 'stopped' && report.end.kind !== 'lost'
  const links = ran.map(({ alias, action }) => ({ ...present({ alias }), action: action.name }))
  const undo =
    stages.length > 1 && isKnown && because.length === 0
      ? undoing(links).flatMap((link) => stageOf(order, ledger, link))
      : []
  if (undo.length === 0) return done({ ...failed, problems: [...because, ...problems] })
  return goOn({ ...failed, plan: { ...plan, stages: [...reached, ...undo], because: problems } })
}

interface Ran {
  readonly order: InstallationOrder
  readonly ledger: Ledger
  readonly plan: InstallationPlan
  readonly stage: InstallationStage
  readonly run: StageRun
  readonly verdict: Verdict
  /** Of the run, or why the chain ends although it went well. */
  readonly problems: readonly Problem[]
  readonly report: Report
  readonly operation: Situation['operation']
}

/** Outputs first, then the result that names them; what a run was given is remembered when it changed something. */
function record({ order, ledger, stage, run, verdict, report, operation }: Ran): void {
  const { claims } = ledger
  const ids = runIds(operation)
  const { action, alias } = stage
  // What the authoring tool keeps for itself must not move on with actions that change nothing.
  const outputs = verdict.outputs.filter(({ internal }) => action.modifies || !internal)
  for (const { name, bytes } of outputs) claims.writeOutput(ids.result, name, bytes)
  writeClaim(claims, run.claim)
  const warnings = [...run.warnings, ...verdict.warnings].map(describeProblem)
  writeResult(claims, {
    ...resultOf({ ...verdict, outputs }, { id: ids.result, claimId: run.claim.id, created: ids.created }),
    custom: customOf({
      operation: operation.id,
      stage: operation.stage,
      warnings,
      ...(report.end.kind === 'not-started' ? { unstarted: true } : {}),
    }),
  })
  const before = ledger.installation()
  const { bundle, labels, parameterSets, credentialSets } = order
  ledger.keep({
    ...before,
    name: order.installation,
    labels: labels ?? before?.labels ?? {},
    created: before?.created ?? ids.created,
    bundle: order.alias === undefined ? bundle : (before?.bundle ?? bundle),
    parameterSets,
    credentialSets,
    dependencies: {
      ...dependenciesOf(before),
      ...(alias === undefined || !action.modifies ? {} : { [alias]: stage.kept }),
    },
    ...(action.modifies ? { given: { ...before?.given, [alias ?? '']: run.given } } : {}),
    ...(isApplied(verdict, stage) ? { applied: appliedOf(order, stage, run) } : {}),
  })
}

/** Whether the installation is now as this order wanted it. */
function isApplied({ problems }: Verdict, { alias, action: { name } }: InstallationStage): boolean {
  return problems.length === 0 && alias === undefined && (name === 'install' || name === 'upgrade')
}

function appliedOf(
  { bundle: { digest }, credentials }: InstallationOrder,
  stage: InstallationStage,
  run: StageRun,
) {
  return appliedStateOf({ digest, bundle: stage.bundle, given: run.given, credentials })
}

function done({ ledger, plan, verdict, problems }: Ran): Conclusion {
  const { message } = verdict
  const isUndone = plan.because.length > 0 && problems === plan.because
  return {
    kind: 'done',
    outcome: {
      problems,
      ...(problems.length === 0 && message !== '' ? { message } : {}),
      ...(isUndone ? { message: undoneMessage } : {}),
      carryover: ledger.carryover(),
    },
  }
}

function secretsOf({ steps, files, secrets = [] }: Job): Iterable<string> {
  const given = steps.flatMap(({ environment }) => Object.values(environment))
  const written = files.flatMap(({ content }) => (content.kind === 'secret' ? [content.secret] : []))
  return secretTexts(
    [...given, ...written, ...secrets].flatMap((text) => (typeof text === 'string' ? [] : [text.reveal()])),
  )
}
