/** What a run means: states, credentials, files, and what the next operation must find again; for failed runs, too. */
import { never } from '../../kit/assert.ts'
import type { Carryover, Outcome } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Conclusion } from '../contract.ts'
import { bindingBytes, readBindOutput, withAdditions } from './bind-output.ts'
import { stdoutOf, verdictOf } from './endings.ts'
import {
  inputBytes,
  inputsOfInstance,
  keptBinding,
  keptCredstore,
  keptInputs,
  mergedInputs,
  notesOf,
} from './memory.ts'
import { type Options, optionsOf } from './options.ts'
import { outputsOf } from './outputs.ts'

export function concludeTweed(action: Action, situation: Situation, report: Report): Conclusion {
  const outcome = outcomeOf(action, situation, report)
  return { kind: 'done', outcome, secrets: action.kind === 'bind' ? [printedBy(report)] : [] }
}

function outcomeOf(action: Action, situation: Situation, report: Report): Outcome {
  const options = optionsOf(situation.plan.operator.options)
  switch (action.kind) {
    case 'provision':
      return provisioned(situation, report, options)
    case 'bind':
      return bound(situation, report, options)
    case 'unbind':
      return unbound(situation, report, options)
    case 'deprovision':
      return deprovisioned(situation, report, options)
    case 'update':
    case 'invoke':
      return { problems: [{ code: 'tweed.action-unsupported' }] }
    default:
      return never(action)
  }
}

/** What a failed bind has printed as credentials is as secret as those of one that worked. */
function printedBy(report: Report): string {
  const printed = readBindOutput(stdoutOf(report))
  return printed.kind === 'map' ? JSON.stringify(printed.value) : Buffer.from(stdoutOf(report)).toString()
}

/** Whatever the end, its files are the best clue and its store is what a clean-up needs. */
function provisioned(situation: Situation, report: Report, options: Options): Outcome {
  const merged = mergedInputs(situation)
  const inputs = merged.kind === 'inputs' ? inputBytes(merged.inputs) : inputsOfInstance(situation)
  const outputs = outputsOf(report, notesOf(situation).metadata.files, options)
  const missing = outputs.filter(({ state }) => state === 'missing').map(({ name }) => name)
  const problems = [
    ...listed(verdictOf(report, 'provision', options, situation.operation.id)),
    ...faultOfCredstore(report, options),
  ]
  return {
    problems,
    ...(problems.length === 0 && missing.length > 0
      ? { message: `succeeded; the metadata announces files that were not written: ${missing.join(', ')}` }
      : {}),
    outputs,
    carryover: { [keptInputs]: inputs, ...credstoreAfter(situation, report) },
    usable: false,
  }
}

/**
 * A failed bind is recorded, so that unbind can clear up after it: with what was printed if that was one map,
 * and never handed out as credentials.
 */
function bound(situation: Situation, report: Report, options: Options): Outcome {
  const failure = verdictOf(report, 'bind', options, situation.operation.id)
  const printed = readBindOutput(stdoutOf(report))
  const bindingCarryover = printed.kind === 'map' ? { [keptBinding]: bindingBytes(printed.value) } : {}
  if (failure) return { problems: [failure], bindingCarryover }
  if (printed.kind === 'refused') return { problems: [printed.problem], bindingCarryover }
  return {
    problems: [],
    binding: { credentials: withAdditions(printed.value, options.credentials) },
    bindingCarryover,
  }
}

/** A failed unbind leaves the binding as it was. */
function unbound(situation: Situation, report: Report, options: Options): Outcome {
  const problems = listed(verdictOf(report, 'unbind', options, situation.operation.id))
  return { problems, ...(problems.length > 0 ? { usable: true, repeatable: true } : {}) }
}

/** A failed deprovision leaves the instance as it was, and keeps what it wrote so that it can be resumed. */
function deprovisioned(situation: Situation, report: Report, options: Options): Outcome {
  const problems = listed(verdictOf(report, 'deprovision', options, situation.operation.id))
  if (problems.length === 0) return { problems: [], carryover: {} }
  const carryover = { [keptInputs]: inputsOfInstance(situation), ...credstoreAfter(situation, report) }
  return { problems, carryover, usable: true, repeatable: true }
}

/** The store as the run left it; where that is unknown, as it was before. */
function credstoreAfter(situation: Situation, report: Report): Carryover {
  const got = report.got.get('credstore')
  const tar = got?.kind === 'bytes' ? got.bytes : situation.carryover[keptCredstore]
  return tar === undefined ? {} : { [keptCredstore]: tar }
}

function faultOfCredstore(report: Report, { credstoreBytes }: Options): readonly Problem[] {
  const got = report.got.get('credstore')
  if (got?.kind !== 'too-large') return []
  return [{ code: 'tweed.run.credstore', detail: `it holds ${got.bytes} bytes of at most ${credstoreBytes}` }]
}

function listed(problem: Problem | undefined): readonly Problem[] {
  return problem ? [problem] : []
}
