/** Installations of commands as a contract: each order runs a bundle with what it depends on, and is recorded. */
import { redactText, secretTexts } from '../../../kit/redact.ts'
import type { Job } from '../../../model/job.ts'
import type { Outcome } from '../../../model/outcome.ts'
import { describeProblem } from '../../../model/problem.ts'
import type { Report } from '../../../model/report.ts'
import type { Situation } from '../../../model/situation.ts'
import type { Conclusion, Contract, Prepared } from '../../contract.ts'
import { resultOf } from '../claims.ts'
import { optionsOf } from '../options.ts'
import { runIds } from '../run-ids.ts'
import { judgeRun, type Verdict } from '../verdict.ts'
import { appliedStateOf } from './applied.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { type InstallationOrder, installationPackage, orderIn } from './order.ts'
import { customOf, writeClaim, writeResult } from './records.ts'
import {
  faultsOfStages,
  type InstallationStage,
  refused,
  type StageRun,
  stageRun,
  stagesOf,
} from './stage.ts'

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
  const ledger = openLedger(carryover)
  const planned = stagesOf(order, ledger, operation.id)
  if (planned.kind === 'refused') return { kind: 'done', outcome: { problems: planned.problems } }
  const { stages } = planned
  const stage = stages[operation.stage]
  const run = stage && stageRun(order, ledger, stage, operation)
  if (stage === undefined || run === undefined || run.kind === 'refused')
    return { kind: 'done', outcome: { problems: run?.kind === 'refused' ? run.problems : [] } }
  const judged = judgeRun(
    { bundle: stage.bundle, action: stage.action.name, options: optionsOf(order.options) },
    report,
  )
  const verdict = { ...judged, message: redactText(judged.message, secretsOf(run.job)) }
  const ran: Ran = { order, ledger, stage, run, verdict, operation }
  record(ran)
  return { ...following(ran, stages), secrets: madeBy(verdict) }
}

/** Outputs that are sensitive are hidden in the log, too. */
function madeBy({ outputs }: Verdict): readonly string[] {
  return outputs
    .filter(({ sensitive, internal }) => sensitive && !internal)
    .map(({ bytes }) => Buffer.from(bytes).toString())
}

function following(ran: Ran, stages: readonly InstallationStage[]): Conclusion {
  const { order, ledger, verdict, operation } = ran
  const isLast = operation.stage + 1 >= stages.length
  if (verdict.problems.length > 0 || isLast) return { kind: 'done', outcome: outcomeOf(ran) }
  const next = stages[operation.stage + 1]
  const run = next && stageRun(order, ledger, next, { id: operation.id, stage: operation.stage + 1 })
  if (run === undefined || run.kind === 'refused')
    return { kind: 'done', outcome: { ...outcomeOf(ran), problems: run?.problems ?? [] } }
  return { kind: 'next', job: run.job, carryover: ledger.carryover() }
}

interface Ran {
  readonly order: InstallationOrder
  readonly ledger: Ledger
  readonly stage: InstallationStage
  readonly run: StageRun
  readonly verdict: Verdict
  readonly operation: Situation['operation']
}

/** Outputs first, then the result that names them; what a run was given is remembered when it changed something. */
function record({ order, ledger, stage, run, verdict, operation }: Ran): void {
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
    custom: customOf({ operation: operation.id, stage: operation.stage, warnings }),
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

function outcomeOf({ ledger, verdict }: Ran): Outcome {
  const { problems, message } = verdict
  return {
    problems,
    ...(problems.length === 0 && message !== '' ? { message } : {}),
    carryover: ledger.carryover(),
  }
}

function secretsOf({ steps, files, secrets = [] }: Job): Iterable<string> {
  const given = steps.flatMap(({ environment }) => Object.values(environment))
  const written = files.flatMap(({ content }) => (content.kind === 'secret' ? [content.secret] : []))
  return secretTexts(
    [...given, ...written, ...secrets].flatMap((text) => (typeof text === 'string' ? [] : [text.reveal()])),
  )
}
