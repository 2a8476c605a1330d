/** What the end of a bundle's run says by itself. */
import { never } from '../../kit/assert.ts'
import { printable } from '../../kit/text.ts'
import type { Problem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import type { ApbAction } from './actions.ts'
import { wanted } from './job.ts'

/** Base images answer an action without a playbook so. */
const exitNoAction = 8

/** As much of its end as Kubernetes reads. */
const messageBytesMax = 4096

export type Ended =
  | { readonly kind: 'worked' }
  /** The bundle has no playbook for the action; what it says about it, if anything. */
  | { readonly kind: 'no-action'; readonly message: string }
  | { readonly kind: 'failed'; readonly problem: Problem }

export function endOf(report: Report, action: ApbAction): Ended {
  const { end } = report
  switch (end.kind) {
    case 'not-started':
      return failed({ code: 'apb.run.start', detail: end.detail })
    case 'timed-out':
      return failed({ code: 'apb.run.timeout', detail: `${action} did not end in time` })
    case 'stopped':
      return failed({ code: 'operation.cancelled', detail: `${action} was stopped` })
    case 'lost':
      return failed({ code: 'operation.interrupted', detail: `nobody saw how ${action} ended` })
    case 'limit':
      return failed({ code: 'apb.run.failed', detail: `${action} was ended by its ${end.limit} limit` })
    case 'finished':
      return endOfExit(report, action)
    default:
      return never(end)
  }
}

/** What the bundle wrote for the user is the description; else a sentence that names the action. */
function endOfExit(report: Report, action: ApbAction): Ended {
  const exit = report.steps[0]?.exit
  if (exit === 0) return { kind: 'worked' }
  const message = terminationMessage(report)
  if (exit === exitNoAction) return { kind: 'no-action', message }
  const unserved = unservedOf(report)
  if (message === '' && unserved.length > 0) {
    return failed({ code: 'apb.run.needs-cluster', detail: `it asked for ${unserved.join(', ')}` })
  }
  const usual = `Error occurred during ${action}. Please contact administrator if the issue persists.`
  return failed({ code: 'apb.run.failed', detail: message || `${usual}${leftOut(report)}` })
}

function failed(problem: Problem): Ended {
  return { kind: 'failed', problem }
}

function terminationMessage({ got }: Report): string {
  const file = got.get(wanted.termination)
  const end = file?.kind === 'bytes' ? file.bytes.subarray(-messageBytesMax) : undefined
  return end === undefined ? '' : printable(new TextDecoder().decode(end)).trim()
}

/** Told where the bundle wrote more for the user than is read. */
function leftOut({ got }: Report): string {
  const file = got.get(wanted.termination)
  return file?.kind === 'too-large' ? ` What it says of the error is left out: ${file.bytes} bytes.` : ''
}

function unservedOf({ got }: Report): readonly string[] {
  const objects = got.get(wanted.cluster)
  return objects?.kind === 'cluster-objects' ? objects.unserved : []
}
