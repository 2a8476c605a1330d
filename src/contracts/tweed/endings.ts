/** What the end of a run says by itself, before anything it printed is read. */
import { never } from '../../kit/assert.ts'
import type { Problem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import type { Options } from './options.ts'
import type { TweedOperation } from './places.ts'

/** The problem of a run that did not end well; undefined when the entrypoint ended with status 0. */
export function verdictOf(
  report: Report,
  operation: TweedOperation,
  options: Options,
  id?: string,
): Problem | undefined {
  const reference = id === undefined ? '' : ` (operation ${id})`
  const { end } = report
  switch (end.kind) {
    case 'not-started':
      return { code: 'tweed.run.start', detail: `${end.detail}${reference}` }
    case 'timed-out':
      return {
        code: 'tweed.run.timeout',
        detail: `${operation} did not end within ${options.timeoutSeconds[operation]} seconds${reference}`,
      }
    case 'stopped':
      return { code: 'operation.cancelled', detail: `${operation} was stopped${reference}` }
    case 'lost':
      return { code: 'operation.interrupted', detail: `nobody saw how ${operation} ended${reference}` }
    case 'limit':
      return end.limit === 'stdout'
        ? tooLarge(operation, options, reference)
        : { code: 'tweed.run.exit', detail: `${operation} was ended by its ${end.limit} limit${reference}` }
    case 'finished':
      return verdictOfExit(report, operation, options, reference)
    default:
      return never(end)
  }
}

/** What the operation's only step printed where it is read. */
export function stdoutOf(report: Report): Uint8Array {
  return report.steps[0]?.stdout ?? new Uint8Array()
}

function verdictOfExit(
  report: Report,
  operation: TweedOperation,
  options: Options,
  reference: string,
): Problem | undefined {
  const exit = report.steps[0]?.exit
  if (exit !== 0) {
    return {
      code: 'tweed.run.exit',
      detail: `${operation} ended with status ${exit ?? 'unknown'}${reference}`,
    }
  }
  return stdoutOf(report).length > options.stdoutBytes ? tooLarge(operation, options, reference) : undefined
}

function tooLarge(operation: TweedOperation, { stdoutBytes }: Options, reference: string): Problem {
  return {
    code: 'tweed.run.too-large',
    detail: `${operation} printed more than ${stdoutBytes} bytes on standard output${reference}`,
  }
}
