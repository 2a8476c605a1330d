/** A pod of a run, as the API shows it: how far it is, and why it does not get further. */
import { isObject } from '../../kit/json.ts'
import type { Limits, Want } from '../../model/job.ts'
import type { Problem } from '../../model/problem.ts'
import type { FoundRun } from '../engine.ts'
import type { StepRecord } from '../step-files.ts'
import type { Shape } from './shape.ts'

export const labels = {
  cluster: 'chandler.io/cluster',
  operation: 'chandler.io/operation',
  /** Of a Secret: which binding it holds. */
  binding: 'chandler.io/binding',
  managed: 'app.kubernetes.io/managed-by',
  /** For network policies. */
  network: 'chandler.io/network',
  /** On the sandbox of a run. */
  run: 'chandler.io/run-name',
  /** On the sandbox of a run that failed, when nothing else is left of it. */
  kept: 'chandler.io/kept',
} as const

export const marks = {
  spec: 'chandler.io/spec',
  fence: 'chandler.io/fence',
  /** With the fence under which everything was put in. */
  ready: 'chandler.io/ready',
  /** Milliseconds since 1970. */
  started: 'chandler.io/started',
  record: 'chandler.io/run',
  pod: 'chandler.io/pod',
  target: 'chandler.io/target',
  /** Milliseconds since 1970: when a run of which the sandbox is kept was seen to have failed. */
  failed: 'chandler.io/failed',
} as const

/** The phase of a run whose marks are there, and whose pod is not yet. */
export const absent = 'Absent'

export const containers = { program: 'program', sidecar: 'sidecar', preparation: 'preparation' } as const

/** What must be known of a run after its broker died; holds no secrets. */
export interface RunRecord {
  readonly steps: readonly StepRecord[]
  readonly wants: readonly Want[]
  readonly limits: Limits
  /** Folders whose limit is looked at afterwards. */
  readonly checked: readonly { readonly path: string; readonly bytesMax: number }[]
}

export interface Pod {
  readonly name: string
  readonly uid: string
  readonly version: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly createdAt: number
  readonly isGoing: boolean
  readonly phase: string
  readonly reason: string
  readonly message: string
  readonly containers: readonly ContainerState[]
  /** Why no node takes it. */
  readonly unscheduled: string | undefined
}

interface ContainerState {
  readonly name: string
  readonly state: 'waiting' | 'running' | 'terminated'
  readonly reason: string
  readonly message: string
  readonly exit: number
}

export function readPod(object: unknown): Pod | undefined {
  if (!isObject(object) || !isObject(object['metadata'])) return undefined
  const { metadata } = object
  const status = member(object, 'status')
  const conditions = listOf(status['conditions'])
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled')
  return {
    name: text(metadata, 'name'),
    uid: text(metadata, 'uid'),
    version: text(metadata, 'resourceVersion'),
    labels: texts(metadata['labels']),
    annotations: texts(metadata['annotations']),
    createdAt: Date.parse(text(metadata, 'creationTimestamp')) || 0,
    isGoing: metadata['deletionTimestamp'] !== undefined,
    phase: text(status, 'phase'),
    reason: text(status, 'reason'),
    message: text(status, 'message'),
    containers: [...listOf(status['initContainerStatuses']), ...listOf(status['containerStatuses'])].map(
      stateOf,
    ),
    unscheduled: scheduled?.['status'] === 'False' ? text(scheduled, 'message') : undefined,
  }
}

function stateOf(container: Shape): ContainerState {
  const state = member(container, 'state')
  const kind = (['terminated', 'running'] as const).find((one) => isObject(state[one])) ?? 'waiting'
  const detail = member(state, kind)
  return {
    name: text(container, 'name'),
    state: kind,
    reason: text(detail, 'reason'),
    message: text(detail, 'message'),
    exit: Number(detail['exitCode'] ?? 0),
  }
}

function member(object: Shape, name: string): Shape {
  const value = object[name]
  return isObject(value) ? value : {}
}

function text(object: Shape, name: string): string {
  const value = object[name]
  return typeof value === 'string' ? value : ''
}

function texts(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return {}
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)]))
}

function listOf(value: unknown): readonly Shape[] {
  return (Array.isArray(value) ? value : []).filter(isObject)
}

/** What was written on it when it was made; undefined when that was not by us. */
export function recordOf(pod: Pod): RunRecord | undefined {
  const written = pod.annotations[marks.record]
  return written === undefined ? undefined : (JSON.parse(written) as RunRecord)
}

/** Whether both containers run. */
export function isUp(pod: Pod): boolean {
  const running = pod.containers.filter(({ state }) => state === 'running').map(({ name }) => name)
  return running.includes(containers.program) && running.includes(containers.sidecar)
}

/** Whether the program's container is gone, and with it all that can be asked. */
export function isOver(pod: Pod): boolean {
  const ended = pod.containers.some(
    ({ name, state }) => name === containers.program && state === 'terminated',
  )
  return ended || pod.phase === 'Failed' || pod.phase === 'Succeeded'
}

const unpulled = ['ErrImageNeverPull', 'ImagePullBackOff', 'InvalidImageName', 'ImageInspectError']
const unmade = ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError', 'StartError']

/** Why it will never be up. What may pass, a full cluster for example, is left to the patience of the caller. */
export function whyNotUp(pod: Pod): Problem | undefined {
  if (pod.phase === 'Failed') return { code: 'engine.start-failed', detail: wordsOf(pod) }
  for (const { name, state, reason, message, exit } of pod.containers) {
    if (unpulled.includes(reason)) return { code: 'engine.image-unavailable', detail: message || reason }
    const hasFailed = state === 'terminated' && (name !== containers.preparation || exit !== 0)
    if (unmade.includes(reason) || hasFailed)
      return { code: 'engine.start-failed', detail: `${name}: ${message || reason}` }
  }
  return undefined
}

/** What the pod waits for, told to the watch of the run. */
export function waitsFor(pod: Pod): string {
  if (pod.unscheduled !== undefined) return `no node takes the pod: ${pod.unscheduled}`
  const waiting = pod.containers.find(
    ({ state, reason }) => state === 'waiting' && reason !== 'PodInitializing',
  )
  return waiting === undefined ? '' : `the pod waits: ${waiting.message || waiting.reason}`
}

/** How the cluster says that it ended. */
export function wordsOf(pod: Pod): string {
  const program = pod.containers.find(({ name }) => name === containers.program)
  return [pod.reason, pod.message, program?.reason, program?.message].filter(Boolean).join(': ')
}

/** A run as the sweep is told of it. */
export function foundRun({ labels: given, createdAt }: Pod, name: string, now: number): FoundRun {
  return { name, operation: given[labels.operation] ?? '', ageMs: now - createdAt }
}
