/** What a run means for an instance: outputs, bindings, records, and what the next run must find; for failed runs, too. */
import { redactText, secretTexts } from '../../kit/redact.ts'
import type { Job } from '../../model/job.ts'
import type { Carryover, Outcome, Output } from '../../model/outcome.ts'
import { describeProblem, type Problem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Conclusion } from '../contract.ts'
import { actionOf } from './actions.ts'
import { answerOf } from './bindings.ts'
import { type Bundle, definitionOf, isInternal, isSensitive } from './bundle.ts'
import { logsOutput, resultOf } from './claims.ts'
import { describeHealth, readHealth, statusActions } from './health.ts'
import { memoryOf, withChange } from './memory.ts'
import { runIds } from './run-ids.ts'
import { type Plot, plotOf, type Stage, stageJob } from './stages.ts'
import { judgeRun, type Verdict } from './verdict.ts'

export function concludeCnab(action: Action, situation: Situation, report: Report): Conclusion {
  const plotted = plotOf(action, situation)
  if (plotted.kind === 'refused') return done({ problems: plotted.problems })
  const { plot } = plotted
  const { stage: index } = situation.operation
  const stage = plot.stages[index]
  const prepared = stageJob(action, situation, plot)
  if (stage === undefined || prepared.kind === 'refused')
    return done({ problems: prepared.kind === 'refused' ? prepared.problems : [] })
  const verdict = judgeRun({ bundle: stage.bundle, action: stage.action, options: plot.options }, report)
  const warnings = [...prepared.warnings, ...verdict.warnings]
  const ran: Ran = { action, situation, plot, stage, verdict, report, job: prepared.job, warnings }
  const carryover = carryoverAfter(ran, prepared.claim)
  if (action.kind === 'bind' || action.kind === 'unbind') return done(boundOutcome(ran, carryover))
  const isLast = index + 1 >= plot.stages.length
  if (verdict.problems.length > 0 || isLast) return done(outcomeOf(ran, carryover))
  const later = { ...situation, carryover, operation: { ...situation.operation, stage: index + 1 } }
  const next = stageJob(action, later, plot)
  if (next.kind === 'refused') return done({ problems: next.problems, carryover, ...afterwards(action) })
  return { kind: 'next', job: next.job, carryover }
}

interface Ran {
  readonly action: Action
  readonly situation: Situation
  readonly plot: Plot
  readonly stage: Stage
  readonly verdict: Verdict
  readonly report: Report
  readonly job: Job
  readonly warnings: readonly Problem[]
}

/** Runs that change nothing must not leave what the authoring tool keeps of changes. */
function carryoverAfter(
  { action, situation, stage, verdict }: Ran,
  claim: Parameters<typeof record>[0],
): Carryover {
  const { modifies = true, stateless = false } = actionOf(stage.bundle, stage.action) ?? {}
  if (stateless) return situation.carryover
  const ofBinding = action.kind === 'bind' || action.kind === 'unbind'
  const kept = verdict.outputs.filter(({ internal }) => modifies || !internal)
  return withChange(situation.carryover, {
    alias: stage.alias,
    outputs: ofBinding ? {} : Object.fromEntries(kept.map(({ name, bytes }) => [name, bytes])),
    ...(modifies ? { record: record(claim, verdict, situation) } : {}),
  })
}

function record(
  claim: Extract<ReturnType<typeof stageJob>, { kind: 'job' }>['claim'],
  verdict: Verdict,
  { operation }: Situation,
) {
  const ids = runIds(operation)
  return { claim, result: resultOf(verdict, { id: ids.result, claimId: claim.id, created: ids.created }) }
}

function outcomeOf(ran: Ran, carryover: Carryover): Outcome {
  const { action, stage, verdict, plot } = ran
  const { problems } = verdict
  const current = memoryOf(carryover).outputs
  const gone = action.kind === 'deprovision' && problems.length === 0
  return {
    problems,
    ...(problems.length === 0 ? { message: messageOf(ran) } : afterwards(action)),
    ...dashboardOf(current),
    outputs: isLook(action, stage) ? ownOutputs(ran) : shownOutputs(plot.bundle, current),
    carryover: gone ? {} : carryover,
  }
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
        ...(declared.description === undefined ? {} : { summary: declared.description }),
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
function boundOutcome({ action, plot, verdict }: Ran, carryover: Carryover): Outcome {
  const { problems } = verdict
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

/** Nobody knows what a failed run has left; the same action or another may be tried. */
function afterwards({ kind }: Action): Pick<Outcome, 'usable' | 'repeatable'> {
  return { usable: kind !== 'provision', repeatable: true }
}

function done(outcome: Outcome): Conclusion {
  return { kind: 'done', outcome }
}
