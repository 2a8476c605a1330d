/** Operations as operators see them: the state with its reason, its history, its runs and its log. */
import { Type } from 'typebox'
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import {
  activeStates,
  endStates,
  type HistoryLine as ModelHistoryLine,
  type Operation as ModelOperation,
  type Run as ModelRun,
} from '../model/operation.ts'
import { problemCodes } from '../model/problem-codes.ts'
import type { Action } from '../model/situation.ts'
import { Free, Moment, moment, type Of, PageQuery, pageOf } from './words.ts'

export const operationStates = [...activeStates, ...endStates] as const
export const OperationState = Type.Unsafe<ModelOperation['state']>({ type: 'string', enum: operationStates })

export const Operation = Type.Object(
  {
    id: Type.String(),
    platform: Type.String(),
    instance: Type.String(),
    instanceName: Type.Optional(
      Type.String({ description: 'What people call the instance; told when operations are asked for.' }),
    ),
    binding: Type.Optional(Type.String()),
    action: Type.String({
      description: '`provision`, `update`, `deprovision`, `bind`, `unbind`, or the name of a custom action.',
    }),
    state: OperationState,
    reason: Type.String({ description: 'Why it is in this state.' }),
    description: Type.Optional(Type.String({ description: "What the platform's users read." })),
    problem: Type.Optional(Type.Object({ code: Type.String(), title: Type.String(), hint: Type.String() })),
    lastLines: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Of one operation that failed: the last lines of its log, masked like the log.',
      }),
    ),
    parameters: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        additionalProperties: true,
        description: 'Of one operation: what it was ordered with, without what the schema marks as secret.',
      }),
    ),
    requestId: Type.String(),
    blockedBy: Type.Optional(Type.String()),
    stage: Type.Integer(),
    attempt: Type.Integer(),
    node: Type.Optional(Type.String({ description: 'The process that works on it.' })),
    createdAt: Moment,
    startedAt: Type.Optional(Moment),
    finishedAt: Type.Optional(Moment),
    deadlineAt: Moment,
    cancelRequestedAt: Type.Optional(Moment),
    forceAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'Ended from then on, whoever works on it.' }),
    ),
  },
  { title: 'Operation' },
)
export type Operation = Of<typeof Operation>

export const OperationPage = pageOf(Operation)
export type OperationPage = Of<typeof OperationPage>

export const OperationQuery = Type.Object({
  ...PageQuery,
  platform: Type.Optional(Type.String()),
  instance: Type.Optional(Type.String()),
  binding: Type.Optional(Type.String()),
  state: Type.Optional(
    Type.String({ description: 'States, comma separated; `active` and `ended` stand for several.' }),
  ),
})
export type OperationQuery = Of<typeof OperationQuery>

export const Retry = Type.Object(
  {
    parameters: Type.Optional({
      ...Free,
      description: 'Instead of those it was ordered with; of an update: what it was asked to change.',
    }),
  },
  { title: 'Retry', additionalProperties: false },
)

/** What an action is called outside. */
export function actionName(action: Action): string {
  return action.kind === 'invoke' ? action.name : action.kind
}

/** An operation in the words of the API. */
export function toOperation(operation: ModelOperation): Operation {
  const { problem, lease } = operation
  const time = (ms: number | undefined) => (ms === undefined ? undefined : moment(ms))
  return present({
    id: operation.id,
    platform: operation.target.platform,
    instance: operation.target.instance,
    binding: operation.target.binding,
    action: actionName(operation.action),
    state: operation.state,
    reason: operation.reason,
    description: operation.description,
    problem: problem && {
      code: problem,
      title: problemCodes[problem].title,
      hint: problemCodes[problem].hint,
    },
    requestId: operation.requestId,
    blockedBy: operation.blockedBy,
    stage: operation.stage,
    attempt: operation.attempt,
    node: lease?.owner,
    createdAt: moment(operation.createdAt),
    startedAt: time(operation.startedAt),
    finishedAt: time(operation.finishedAt),
    deadlineAt: moment(operation.deadlineAt),
    cancelRequestedAt: time(operation.cancelRequestedAt),
    forceAt: time(operation.forceAt),
  })
}

export const HistoryLine = Type.Object(
  { at: Moment, state: OperationState, reason: Type.String(), node: Type.String(), fence: Type.Integer() },
  { title: 'HistoryLine', description: 'A change of state with its reason.' },
)
export type HistoryLine = Of<typeof HistoryLine>

export function toHistoryLine({ at, state, reason, node, fence }: ModelHistoryLine): HistoryLine {
  return { at: moment(at), state, reason, node, fence }
}

export const Run = Type.Object(
  {
    name: Type.String({ description: 'Its name in the engine.' }),
    engine: Type.String(),
    stage: Type.Integer(),
    attempt: Type.Integer(),
    state: Type.Unsafe<ModelRun['state']>({
      type: 'string',
      enum: ['intended', 'started', 'reported', 'discarded'],
    }),
    used: Type.Optional(
      Type.Object(
        {
          memoryBytes: Type.Optional(Type.Integer({ description: 'The most at any time.' })),
          processorMs: Type.Optional(Type.Integer()),
          diskBytes: Type.Optional(Type.Integer({ description: 'The most that was seen of what it wrote.' })),
          logBytes: Type.Optional(
            Type.Integer({ description: 'All that it printed, also what was left out of its log.' }),
          ),
        },
        { description: 'What it took of its host, when it is over; what the host does not count is absent.' },
      ),
    ),
  },
  { title: 'Run', description: "One start of a package's program." },
)
export type Run = Of<typeof Run>

export function toRun({ name, engine, stage, attempt, state, used }: ModelRun): Run {
  return present({ name, engine, stage, attempt, state, used })
}

export const LogLine = Type.Object(
  {
    number: Type.Integer({ description: 'Grows; resume after it.' }),
    at: Moment,
    stream: Type.Union([Type.Literal('stdout'), Type.Literal('stderr'), Type.Literal('system')]),
    run: Type.String({ description: 'The name of the run that printed it.' }),
    step: Type.String({ description: 'Of that run.' }),
    text: Type.String({ description: 'A piece of the log; may hold several lines or a part of one.' }),
  },
  { title: 'LogLine' },
)
export type LogLine = Of<typeof LogLine>

interface LogPiece {
  readonly number: number
  readonly at: number
  readonly stream: 'stdout' | 'stderr' | 'system'
  readonly run: string
  readonly step: string
}

/** A piece of a log; the reader decodes its text, for a character may be cut in two. */
export function toLogLine({ number, at, stream, run, step }: LogPiece, text: string): LogLine {
  return { number, at: moment(at), stream, run, step, text }
}

export const Why = Type.Object(
  {
    operation: Type.Optional(Type.String()),
    state: Type.String(),
    reason: Type.String({ description: 'The one thing it waits for, since when, and what ends that.' }),
  },
  { title: 'Why', description: 'Why something is not done yet.' },
)
export type Why = Of<typeof Why>
