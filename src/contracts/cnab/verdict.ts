/** What a run of a bundle means: its status, its outputs, and what is told of it; for failed runs, too. */
import { never } from '../../kit/assert.ts'
import type { Problem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import type { Bundle } from './bundle.ts'
import type { Options } from './options.ts'
import { collectOutputs, gotOutputs, outputNames, type RunOutput } from './outputs.ts'

/** unknown: its end was not seen. */
export type RunStatus = 'succeeded' | 'failed' | 'canceled' | 'unknown'

export interface Verdict {
  readonly status: RunStatus
  /** The bundle's own failure first; empty means that it worked. */
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  /** One line for people: what went wrong, or the last thing that the bundle said. */
  readonly message: string
  /** Whatever the end was. */
  readonly outputs: readonly RunOutput[]
}

export interface Ended {
  readonly bundle: Bundle
  readonly action: string
  readonly options: Options
}

/** Problems: cnab.run.*, cnab.output.*, operation.cancelled, operation.interrupted. */
export function judgeRun({ bundle, action, options }: Ended, report: Report): Verdict {
  const failure = failureOf(action, report)
  const started = report.steps.length > 0
  const got = gotOutputs(report, outputNames(bundle, action))
  const collected = collectOutputs(bundle, got, { ...options, isWhole: failure === undefined })
  const { outputs, warnings } = collected
  // What never ran has written nothing, and a default for it would be made up.
  const problems = [...(failure ? [failure] : []), ...(started ? collected.problems : [])]
  const [first] = problems
  return {
    status: statusOf(report, problems),
    problems,
    warnings: started ? warnings : [],
    outputs: started ? outputs : [],
    message: first === undefined ? lastLine(report.logTail) : (first.detail ?? first.code),
  }
}

function statusOf({ end }: Report, problems: readonly Problem[]): RunStatus {
  if (end.kind === 'stopped') return 'canceled'
  if (end.kind === 'lost') return 'unknown'
  return problems.length === 0 ? 'succeeded' : 'failed'
}

function failureOf(action: string, report: Report): Problem | undefined {
  const { end } = report
  switch (end.kind) {
    case 'finished': {
      const exit = report.steps[0]?.exit
      return exit === 0 ? undefined : { code: 'cnab.run.failed', detail: describeExit(action, exit) }
    }
    case 'not-started':
      return { code: 'cnab.run.start', detail: end.detail }
    case 'timed-out':
      return { code: 'cnab.run.timeout', detail: `${action} took longer than it may` }
    case 'stopped':
      return { code: 'operation.cancelled', detail: `${action} was stopped` }
    case 'lost':
      return { code: 'operation.interrupted', detail: `nobody saw how ${action} ended` }
    case 'limit':
      return { code: 'cnab.run.failed', detail: `${action} was ended by its ${end.limit} limit` }
    default:
      return never(end)
  }
}

function describeExit(action: string, exit: number | undefined): string {
  if (exit === undefined) return `${action} ended in an unknown way`
  return `container exit code: ${exit}${meaningOf(exit)} (${action})`
}

/** As POSIX reads it. */
function meaningOf(exit: number): string {
  if (exit === 126) return ': /cnab/app/run is not executable'
  if (exit === 127) return ': /cnab/app/run, or a program it called, was not found'
  return exit > 128 ? `: signal ${exit - 128}` : ''
}

function lastLine(tail: string): string {
  return tail.trimEnd().split('\n').at(-1)?.trim() ?? ''
}
