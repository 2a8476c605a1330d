/** What a run means for an instance: outputs, bindings, records, and what the next run must find; for failed runs, too. */
import type { Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { redactText, secretTexts } from '../../kit/redact.ts'
import type { Job } from '../../model/job.ts'
import type { Carryover, Outcome, Output } from '../../model/outcome.ts'
import { describeProblem, type Problem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Conclusion } from '../contract.ts'
import { actionOf, recordOf } from './actions.ts'
import { answerOf } from './bindings.ts'
import { type Bundle, definitionOf, isInternal, isReadOnly, isSensitive } from './bundle.ts'
import { type Link, ofDependency, undoing, undoneMessage, withChain, withoutChain } from './chain.ts'
import { type Claim, logsOutput, resultOf } from './claims.ts'
import { describeHealth, readHealth, statusActions } from './health.ts'
import { memoryOf, withChange, withoutGone } from './memory.ts'
import { runIds } from './run-ids.ts'
import { stageJob } from './stage-job.ts'
import { type Plot, plotOf, type Stage } from './stages.ts'
import { judgeRun, type Verdict } from './verdict.ts'

export function concludeCnab(action: Action, situation: Situation, report: Report): Conclusion {
  const plotted = plotOf(action, situation)
  if (plotted.kind === 'refused') return done({ problems: plotted.problems })
  const { plot } = plotted
  const stage = plot.stages[situation.operation.stage]
  const prepared = stageJob(action, situation, plot)
  if (stage === undefined || prepared.kind === 'refused')
    return done({ problems: prepared.kind === 'refused' ? prepared.problems : [] })
  const verdict = judgeRun({ bundle: stage.bundle, action: stage.action, options: plot.options }, report)
  const warnings = [...prepared.warnings, ...ofDependency(verdict.warnings, stage.alias)]
  const problems = ofDependency(verdict.problems, stage.alias)
  const ran: Ran = { action, situation, plot, stage, verdict, problems, report, job: prepared.job, warnings }
  return { ...conclusionOf(ran, carryoverAfter(ran, prepared.claim)), secrets: madeBy(ran) }
}

function conclusionOf(ran: Ran, carryover: Carryover): Conclusion {
  const { action, problems } = ran
  if (action.kind === 'bind' || action.kind === 'unbind') return done(boundOutcome(ran, carryover))
  return problems.length > 0 ? afterFailure(ran, carryover) : goOn(ran, carryover)
}

/** Of dependencies and of failed binds, too, whose outputs are not handed out. */
function madeBy({ action, verdict }: Ran): readonly string[] {
  return verdict.outputs
    .filter(({ sensitive, internal }) => !internal && (sensitive || action.kind === 'bind'))
    .map(({ bytes }) => Buffer.from(bytes).toString())
}

/** The next run of the chain; the end, where there is none. */
function goOn(ran: Ran, carryover: Carryover): Conclusion {
  const { action, situation, plot } = ran
  const { operation } = situation
  const next = operation.stage + 1
  if (next >= plot.stages.length) return done(outcomeOf({ ...ran, problems: plot.because }, carryover))
  const { stages: links, because } = plot
  const chain = { operation: operation.id, links: links.map(linkOf), next, because }
  const later = { ...situation, carryover, operation: { ...operation, stage: next } }
  const prepared = stageJob(action, later, plot)
  if (prepared.kind === 'refused') return afterFailure({ ...ran, problems: prepared.problems }, carryover)
  return { kind: 'next', job: prepared.job, carryover: withChain(carryover, chain), unstarted: carryover }
}

/** What an install of several has made is uninstalled again, last first; so is what an upgrade has newly installed. */
function afterFailure(failed: Ran, carryover: Carryover): Conclusion {
  const { plot, situation, report, problems } = failed
  const { stages, because } = plot
  const reached = stages.slice(0, situation.operation.stage + 1)
  const ran = report.end.kind === 'not-started' ? reached.slice(0, -1) : reached
  const undo = stages.length > 1 && isKnown(report) && because.length === 0 ? undoing(ran) : []
  if (undo.length === 0) return done(outcomeOf({ ...failed, problems: [...because, ...problems] }, carryover))
  const links = [...reached, ...undo]
  return goOn({ ...failed, plot: { ...plot, stages: links, because: problems } }, carryover)
}

/** A run that was stopped, or whose end was not seen, is not undone: people decide what is tried next. */
function isKnown({ end }: Report): boolean {
  return end.kind !== 'stopped' && end.kind !== 'lost'
}

function linkOf({ alias, action }: Stage): Link {
  return { ...present({ alias }), action }
}

interface Ran {
  readonly action: Action
  readonly situation: Situation
  readonly plot: Plot
  readonly stage: Stage
  readonly verdict: Verdict
  /** Of the run, or why the chain ends although it went well. */
  readonly problems: readonly Problem[]
  readonly report: Report
  readonly job: Job
  readonly warnings: readonly Problem[]
}

/** Runs that change nothing must not leave what the authoring tool keeps of changes. */
function carryoverAfter({ action, situation, plot, stage, verdict, report }: Ran, claim: Claim): Carryover {
  const { newRevision, kept: keeping } = recordOf(actionOf(stage.bundle, stage.action))
  const before = withoutChain(situation.carryover)
  if (keeping === 'never') return before
  const ofBinding = action.kind === 'bind' || action.kind === 'unbind'
  const kept = verdict.outputs.filter(({ internal }) => newRevision || !internal)
  // Of several, one that never ran must not be uninstalled.
  const isRecorded = report.end.kind !== 'not-started' || plot.stages.length === 1
  return withChange(before, {
    alias: stage.alias,
    bundle: stage.kept,
    outputs: ofBinding ? {} : Object.fromEntries(kept.map(({ name, bytes }) => [name, bytes])),
    ...(newRevision && isRecorded ? { record: record(claim, verdict, situation) } : {}),
  })
}

function record(claim: Claim, verdict: Verdict, { operation }: Situation) {
  const ids = runIds(operation)
  return { claim, result: resultOf(verdict, { id: ids.result, claimId: claim.id, created: ids.created }) }
}

function outcomeOf(ran: Ran, carryover: Carryover): Outcome {
  const { action, stage, plot, problems } = ran
  const current = memoryOf(carryover).outputs
  const gone = action.kind === 'deprovision' && problems.length === 0
  return {
    problems,
    ...(problems.length === 0 ? { message: messageOf(ran) } : afterwards(action)),
    ...(plot.because.length > 0 && problems === plot.because ? { message: undoneMessage } : {}),
    ...dashboardOf(current),
    ...unchangedOf(ran),
    outputs: isLook(action, stage) ? ownOutputs(ran) : shownOutputs(plot.bundle, current),
    carryover: gone ? {} : withoutGone(carryover),
  }
}

/** Values that were ignored are not remembered, or the next update would warn of them again. */
function unchangedOf({ action, situation, plot, warnings }: Ran): Pick<Outcome, 'parameters'> {
  if (action.kind !== 'update' || !warnings.some(({ code }) => code === 'cnab.parameter.fixed')) return {}
  const { parameters, before, carryover } = situation
  const fixed = memoryOf(carryover).claim?.parameters ?? {}
  const kept = Object.entries(parameters).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
    const parameter = Object.hasOwn(plot.bundle.parameters, name) ? plot.bundle.parameters[name] : undefined
    const isFixed =
      parameter && isReadOnly(definitionOf(plot.bundle, parameter)) && Object.hasOwn(fixed, name)
    if (!isFixed) return [[name, value]]
    return Object.hasOwn(before?.parameters ?? {}, name) ? [[name, fixed[name] ?? null]] : []
  })
  return { parameters: Object.fromEntries(kept) }
}

/** Whether an action only looks: what it wrote is its answer. */
function isLook({ kind }: Action, { bundle, action }: Stage): boolean {
  return kind === 'invoke' && actionOf(bundle, action)?.modifies === false
}

/** What was printed is an answer, too: of help, of a dry run, of a log; without the secrets that went in. */
function ownOutputs({ plot, verdict, report, job }: Ran): readonly Output[] {
  const own = Object.fromEntries(verdict.outputs.map(({ name, bytes }) => [name, bytes]))
  const log: Output = {
    name: logsOutput,
    content: new TextEncoder().encode(redactText(report.logTail, secretsOf(job))),
    mediaType: 'text/plain',
    summary: 'What the run printed last.',
    secret: false,
  }
  return [...shownOutputs(plot.bundle, own), log]
}

function secretsOf({ steps, files }: Job): Iterable<string> {
  const given = steps.flatMap(({ environment }) => Object.values(environment))
  const written = files.flatMap(({ content }) => (content.kind === 'secret' ? [content.secret] : []))
  return secretTexts(
    [...given, ...written].flatMap((text) => (typeof text === 'string' ? [] : [text.reveal()])),
  )
}

function shownOutputs(bundle: Bundle, outputs: Readonly<Record<string, Uint8Array>>): readonly Output[] {
  return Object.entries(bundle.outputs).flatMap(([name, declared]): readonly Output[] => {
    const content = Object.hasOwn(outputs, name) ? outputs[name] : undefined
    const definition = definitionOf(bundle, declared)
    if (content === undefined || isInternal(definition)) return []
    return [
      {
        name,
        content,
        mediaType: mediaTypeOf(definition, content),
        ...present({ summary: declared.description }),
        secret: isSensitive(definition),
      },
    ]
  })
}

function mediaTypeOf(definition: ReturnType<typeof definitionOf>, content: Uint8Array): string {
  const said = typeof definition === 'object' ? definition['contentMediaType'] : undefined
  if (typeof said === 'string') return said
  const bytes = Buffer.from(content)
  return Buffer.from(bytes.toString()).equals(bytes) ? 'text/plain' : 'application/octet-stream'
}

function messageOf(ran: Ran): string {
  return [lastWord(ran), ...ran.warnings.map(describeProblem)].join('; ')
}

function lastWord({ stage, verdict }: Ran): string {
  const status = statusActions.includes(stage.action)
    ? verdict.outputs.find(({ name }) => name === 'status')
    : undefined
  if (status) return describeHealth(readHealth(Buffer.from(status.bytes).toString()))
  return verdict.message === '' ? `${stage.action} succeeded` : verdict.message
}

/** Where people look after the instance, if the bundle wrote it. */
function dashboardOf(outputs: Readonly<Record<string, Uint8Array>>): Pick<Outcome, 'dashboardUrl'> {
  const bytes = outputs['dashboard_url']
  const url = bytes === undefined ? '' : Buffer.from(bytes).toString().trim()
  return /^https?:\/\/[^\s]+$/.test(url) ? { dashboardUrl: url } : {}
}

/** What applications get is kept with the binding: the next one must not find it among the instance's outputs. */
function boundOutcome({ action, plot, verdict, problems }: Ran, carryover: Carryover): Outcome {
  if (action.kind === 'unbind')
    return { problems, carryover, ...(problems.length > 0 ? { usable: true, repeatable: true } : {}) }
  const outputs = Object.fromEntries(verdict.outputs.map(({ name, bytes }) => [name, bytes]))
  const bindingCarryover = Object.fromEntries(
    Object.entries(outputs).map(([name, bytes]) => [`outputs/${name}`, bytes]),
  )
  if (problems.length > 0) return { problems, carryover, bindingCarryover }
  const answered = answerOf(plot.bundle, outputs, plot.hints)
  if (answered.kind === 'refused') return { problems: [answered.problem], carryover, bindingCarryover }
  return { problems, binding: answered.answer, carryover, bindingCarryover }
}

/** It is unknown what a failed run has left; the same action or another may be tried. */
function afterwards({ kind }: Action): Pick<Outcome, 'usable' | 'repeatable'> {
  return { usable: kind !== 'provision', repeatable: true }
}

function done(outcome: Outcome): Conclusion {
  return { kind: 'done', outcome }
}
