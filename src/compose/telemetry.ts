/** What the parts report becomes log lines and figures. */
import type { Metrics } from '../http/metrics.ts'
import type { Observe, SeenRequest } from '../http/observe.ts'
import type { Finished } from '../http/work-metrics.ts'
import { never } from '../kit/assert.ts'
import type { Log, LogFields, LogLevel } from '../kit/log.ts'
import { present } from '../kit/present.ts'
import { describeProblem, type Problem, ProblemError } from '../model/problem.ts'
import { problemCodes } from '../model/problem-codes.ts'
import type { WorkEvent, WorkReport } from '../work/work-report.ts'

export interface Telemetry {
  readonly observe: Pick<Observe, 'request' | 'fault'>
  readonly report: WorkReport
}

/** Tells log and figures everything. */
export function telemetryOf(log: Log, metrics: Metrics): Telemetry {
  return {
    observe: {
      request: (seen) => {
        metrics.request(seen)
        if (seen.status === 401) metrics.authFailed('credentials')
        if (seen.status === 403 && seen.account !== undefined) metrics.authFailed('role')
        access(log, seen)
      },
      fault: (error, reference) =>
        log.error('internal.unexpected', 'Something unexpected happened', { request_id: reference, error }),
    },
    report: {
      event: (event) => {
        count(metrics, event)
        if (isOnlyCounted(event)) return
        const { level, code, sentence, fields } = lineOf(event)
        log[level](code, sentence, fields)
      },
    },
  }
}

/** Reads are many and say little: platforms poll. */
function access(log: Log, { method, route, status, ms, requestId, account, source }: SeenRequest): void {
  const level = method === 'GET' || method === 'HEAD' ? 'debug' : 'info'
  log[level]('http.request', 'A request was answered', {
    'http.method': method,
    'http.route': route,
    'http.status': status,
    duration_ms: Math.round(ms * 10) / 10,
    request_id: requestId,
    ...present({ actor: account }),
    ...(source === '' ? {} : { client_ip: source }),
  })
}

function count(metrics: Metrics, event: WorkEvent): void {
  switch (event.kind) {
    case 'claimed':
      if (event.claim === 'first') metrics.claimed(event.action, event.queuedMs / 1000)
      else if (event.claim === 'takeover') metrics.tookOver()
      return
    case 'ended':
      metrics.finished(finishedOf(event))
      return
    case 'ran':
      metrics.ran({ ...event, outcome: event.end, seconds: event.ms / 1000 })
      return
    case 'attempted':
      metrics.attempted(event, event.result)
      return
    case 'spent':
      metrics.spent({ ...event, seconds: event.ms / 1000 })
      return
    case 'sought':
      metrics.reattached(event.engine, event.result)
      return
    case 'renewed':
      metrics.leasesRenewed(event.leases)
      return
    case 'renewal-failed':
      metrics.leaseRenewalFailed()
      return
    case 'lease-lost':
      metrics.leaseLost()
      return
    case 'fenced':
      metrics.fencedWrite()
      return
    case 'swept':
      metrics.orphanRemoved(event)
      return
    case 'left-over':
      metrics.orphans(event, event.runs)
      return
    case 'waits':
    case 'quarantined':
    case 'fault':
    case 'warned':
      return
    default:
      never(event)
  }
}

/** What is only counted: it happens all the time, or another line tells of it. */
const onlyCounted = ['spent', 'attempted', 'renewed', 'renewal-failed', 'fenced', 'left-over'] as const

type Counted = Extract<WorkEvent, { kind: (typeof onlyCounted)[number] }>

function isOnlyCounted(event: WorkEvent): event is Counted {
  return onlyCounted.some((kind) => kind === event.kind)
}

function finishedOf({ action, format, state, problem, ms }: Extract<WorkEvent, { kind: 'ended' }>): Finished {
  return { kind: action, format, outcome: state, reason: problem ?? 'none', seconds: ms / 1000 }
}

interface Line {
  readonly level: LogLevel
  readonly code: string
  readonly sentence: string
  readonly fields: LogFields
}

function lineOf(event: Exclude<WorkEvent, Counted>): Line {
  switch (event.kind) {
    case 'claimed':
      return line('debug', 'operation.claimed', 'An operation was claimed', of(event))
    case 'sought': {
      const { run, engine, result } = event
      const fields = { ...of(event), run, engine }
      if (result === 'found') return line('info', 'operation.adopted', 'A run was found again', fields)
      const sentence = 'A run was not found again'
      return line('warn', 'operation.run-missing', sentence, { ...fields, result })
    }
    case 'ended':
      return line('info', 'operation.ended', 'An operation ended', {
        ...of(event),
        operation_kind: event.action,
        state: event.state,
        duration_ms: event.ms,
      })
    case 'ran':
      return line('debug', 'operation.ran', 'A program of a package ended', {
        ...of(event),
        engine: event.engine,
        end: event.end,
        duration_ms: event.ms,
      })
    case 'waits':
      return line('info', 'operation.waits', 'An operation waits', { ...of(event), why: event.why })
    case 'lease-lost':
      return line('warn', 'lease.lost', 'Another node has taken over an operation', of(event))
    case 'quarantined':
      return line('error', 'operation.quarantined', 'An operation is held back after faults', of(event))
    case 'fault': {
      const { doing, error, operation } = event
      const whose = present({ operation_id: operation })
      if (error instanceof ProblemError && error.problem.code !== 'internal.unexpected')
        return line('warn', 'work.obstacle', 'Work met an obstacle', {
          doing,
          ...foreseen(error.problem),
          ...whose,
        })
      const fields = { doing, error, ...whose }
      return line('error', 'work.fault', 'Work met an unexpected fault', fields)
    }
    case 'warned':
      return line('warn', 'package.warned', 'A package has something to mend', warned(event))
    case 'swept':
      return line('info', 'orphan.removed', 'A leftover run was removed', { run: event.run, why: event.why })
    default:
      return never(event)
  }
}

/** Packages may be wrong in more ways than a log should tell. */
const warningsMax = 10

function warned({ package: name, problems }: Extract<WorkEvent, { kind: 'warned' }>): LogFields {
  const more = problems.length - warningsMax
  return {
    package: name,
    warnings: problems.slice(0, warningsMax).map(describeProblem),
    ...(more > 0 ? { more } : {}),
  }
}

/** What is foreseen is told in its own words; where in the program it was met says nothing then. */
function foreseen(problem: Problem): LogFields {
  const { code, hint } = problem
  return { code, problem: describeProblem(problem), hint: hint ?? problemCodes[code].hint }
}

function line(level: LogLevel, code: string, sentence: string, fields: LogFields): Line {
  return { level, code, sentence, fields }
}

function of(event: { readonly operation: string }): { readonly operation_id: string } {
  return { operation_id: event.operation }
}
