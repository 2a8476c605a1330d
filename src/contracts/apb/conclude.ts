/** What a run means: credentials, state, the dashboard's address, and problems; for failed runs, too. */
import { never } from '../../kit/assert.ts'
import { deepEqual, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import type { ClusterObjects, Report } from '../../model/report.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Conclusion } from '../contract.ts'
import type { ApbAction } from './actions.ts'
import { type CredentialsReading, faultOfSize, readCredentials, writtenCredentials } from './credentials.ts'
import { type Ended, endOf } from './endings.ts'
import { wanted } from './job.ts'
import { bindingMemoryOf, carryoverOf, type InstanceMemory, memoryOf } from './memory.ts'
import { optionsOf } from './options.ts'
import { parametersAfter, targetNamespace } from './prepare.ts'

export function concludeApb(action: Action, situation: Situation, report: Report): Conclusion {
  const outcome = outcomeOf(action, situation, report)
  return { kind: 'done', outcome, secrets: [...writtenCredentials(report)] }
}

function outcomeOf(action: Action, situation: Situation, report: Report): Outcome {
  switch (action.kind) {
    case 'provision':
    case 'update':
      return changed(action.kind, situation, report)
    case 'deprovision':
      return deprovisioned(situation, report)
    case 'bind':
      return bound(situation, report)
    case 'unbind':
      return unbound(situation, report)
    case 'invoke':
      return tested(situation, report)
    default:
      return never(action)
  }
}

/** Whatever the end, what the bundle kept for itself is what a retry and a clean-up need. */
function changed(action: 'provision' | 'update', situation: Situation, report: Report): Outcome {
  const ended = judged(action, situation, endOf(report, action))
  const before = memoryAfter(situation, report)
  const { values } = parametersAfter(situation)
  const read = readCredentials(report)
  const written = read.kind === 'credentials' ? read.credentials : undefined
  const merged = written === undefined ? before.credentials : { ...before.credentials, ...written }
  const unfit = written && faultOfSize({ values, merged: merged ?? {} })
  const credentials = unfit === undefined ? merged : before.credentials
  const problems = [
    ...(ended.kind === 'failed' ? [ended.problem] : []),
    ...(read.kind === 'refused' ? [read.problem] : []),
    ...(unfit === undefined ? [] : [unfit]),
  ]
  const takesEffect = problems.length === 0 || action === 'provision'
  const memory: InstanceMemory = {
    ...before,
    ...present({ credentials }),
    ...(takesEffect ? { parameters: values } : {}),
  }
  const worked = problems.length === 0
  return {
    problems,
    ...(worked ? { message: `${action} job completed`, ...dashboardOf(report) } : {}),
    carryover: carryoverOf(memory),
    usable: action === 'update',
    repeatable: action === 'update',
  }
}

/** An update that changes nothing but the plan's name needs no playbook. */
function judged(
  action: ApbAction,
  situation: Situation,
  ended: Ended,
): Exclude<Ended, { kind: 'no-action' }> {
  if (ended.kind !== 'no-action') return ended
  const { before } = situation
  const stored = memoryOf(situation.carryover).parameters ?? before?.parameters
  if (action === 'update' && deepEqual(stored, parametersAfter(situation).values)) return { kind: 'worked' }
  return {
    kind: 'failed',
    problem: { code: 'apb.action-unsupported', detail: ended.message || `${action} is not supported` },
  }
}

/** A failed deprovision leaves the instance as it was. */
function deprovisioned(situation: Situation, report: Report): Outcome {
  const ended = endOf(report, 'deprovision')
  if (ended.kind === 'worked') return { problems: [], message: 'deprovision job completed', carryover: {} }
  const problem: Problem =
    ended.kind === 'failed'
      ? ended.problem
      : { code: 'apb.resources-remain', ...(ended.message === '' ? {} : { detail: ended.message }) }
  return {
    problems: [problem],
    carryover: carryoverOf(memoryAfter(situation, report)),
    usable: true,
    repeatable: true,
  }
}

/** Bundles without a bind action, and such as write nothing, share the credentials of their provision, unless each binding must have its own. */
function bound(situation: Situation, report: Report): Outcome {
  const ended = endOf(report, 'bind')
  const read = readBound(situation, report)
  const own = ended.kind === 'worked' && read.kind === 'credentials' ? read.credentials : undefined
  const kept = keptOfBinding(situation, report, own)
  if (ended.kind === 'failed') return { problems: [ended.problem], ...kept }
  if (ended.kind === 'worked' && read.kind === 'refused') return { problems: [read.problem], ...kept }
  const shared = optionsOf(situation.plan.operator.options).launchOnBind !== 'always'
  const credentials = own ?? (shared ? memoryOf(situation.carryover).credentials : undefined)
  if (credentials === undefined) {
    const detail = shared
      ? 'No credentials available'
      : 'the bundle makes none for a binding, and those of provision are not shared (launchOnBind: always)'
    return { problems: [{ code: 'apb.credentials', detail }], ...kept }
  }
  return { problems: [], binding: { credentials }, ...kept }
}

/** Its unbind is told of them beside those of provision, and of all parameters. */
function readBound(situation: Situation, report: Report): CredentialsReading {
  const read = readCredentials(report)
  if (read.kind !== 'credentials') return read
  const { parameters = {}, credentials = {} } = memoryOf(situation.carryover)
  const problem = faultOfSize({ parameters, credentials, bound: read.credentials })
  return problem === undefined ? read : { kind: 'refused', problem }
}

/** A failed unbind leaves the binding as it was; a bundle without the action has nothing to undo. */
function unbound(situation: Situation, report: Report): Outcome {
  const ended = endOf(report, 'unbind')
  const { credentials } = bindingMemoryOf(situation.binding?.carryover)
  const kept = keptOfBinding(situation, report, credentials)
  return ended.kind === 'failed'
    ? { problems: [ended.problem], usable: true, repeatable: true, ...kept }
    : { problems: [], ...kept }
}

/**
 * One binding after the other leaves its state and objects with the instance, as in a cluster. Where they are made at the same
 * time, one would undo what the other left: each keeps its own for its unbind.
 */
function keptOfBinding(
  situation: Situation,
  report: Report,
  credentials: JsonObject | undefined,
): Pick<Outcome, 'carryover' | 'bindingCarryover'> {
  const { state, objects, ...rest } = memoryAfter(situation, report)
  const own = present({ credentials })
  if (!optionsOf(situation.plan.operator.options).bindsInParallel) {
    return {
      carryover: carryoverOf({ ...rest, ...present({ state, objects }) }),
      bindingCarryover: carryoverOf(own),
    }
  }
  const { objects: before } = memoryOf(situation.carryover)
  const seen = objects && before && sameBytes(objects, before) ? undefined : objects
  return { bindingCarryover: carryoverOf({ ...own, ...present({ state, objects: seen }) }) }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

/** The first line of a result tells whether it is good, the rest says why; without one the exit code decides. */
function tested(_situation: Situation, report: Report): Outcome {
  const ended = endOf(report, 'test')
  if (ended.kind === 'failed') return { problems: [ended.problem] }
  if (ended.kind === 'no-action') return { problems: [{ code: 'apb.action-unsupported', detail: 'test' }] }
  const got = report.got.get(wanted.testResult)
  if (got?.kind !== 'bytes') return { problems: [], message: 'test job completed' }
  const [verdict = '', ...lines] = new TextDecoder().decode(got.bytes).trim().split('\n')
  const message = lines.join('\n').trim()
  return {
    problems:
      verdict.trim() === '0' ? [] : [{ code: 'apb.run.failed', detail: message || 'the test failed' }],
    ...(message === '' ? {} : { message }),
    outputs: [{ name: wanted.testResult, content: got.bytes, mediaType: 'text/plain', secret: false }],
  }
}

/** What the instance keeps of a run, however it ended. */
function memoryAfter(situation: Situation, report: Report): InstanceMemory {
  const before = memoryOf(situation.carryover)
  const objects = clusterObjects(report)
  const namespace = before.namespace ?? targetNamespace(situation, optionsOf(situation.plan.operator.options))
  const state = objects?.state === undefined ? before.state : { ...before.state, ...objects.state }
  return {
    ...before,
    ...present({ namespace, state, objects: objects?.objects ?? before.objects }),
    ...(objects?.real ? { cluster: 'real' } : {}),
  }
}

function clusterObjects({ got }: Report): ClusterObjects | undefined {
  const objects = got.get(wanted.cluster)
  return objects?.kind === 'cluster-objects' ? objects : undefined
}

/** Longer than browsers and platforms take. */
const addressLengthMax = 8192

/** Only addresses of the web are passed on; authors often leave the scheme out. */
function dashboardOf(report: Report): { readonly dashboardUrl?: string } {
  const told = clusterObjects(report)?.annotations['apb_dashboard_url']?.trim() ?? ''
  if (told === '' || told.length > addressLengthMax) return {}
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(told) ? told : `http://${told}`
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? { dashboardUrl: url } : {}
}
