/** Routes of operations: list, show, history, runs, log, cancel, retry, release, why. */
import { type Static, type TSchema, Type } from 'typebox'
import { Ordered } from '../../api/instance.ts'
import {
  HistoryLine,
  LogLine,
  Operation,
  OperationPage,
  OperationQuery,
  operationStates,
  Retry,
  Run,
  toHistoryLine,
  toOperation,
  toRun,
  Why,
} from '../../api/operation.ts'
import { orderedParameters } from '../../broker/ordered-parameters.ts'
import { cancelOperation, releaseOperation, retryOperation } from '../../broker/steer.ts'
import { why } from '../../broker/why.ts'
import { present } from '../../kit/present.ts'
import {
  activeStates,
  endStates,
  type Operation as ModelOperation,
  type OperationState,
} from '../../model/operation.ts'
import { fail } from '../../model/problem.ts'
import type { Look } from '../../store/store.ts'
import { mayReadLogs } from './authorize.ts'
import { ordered, toWhy } from './instance-routes.ts'
import { followLog, lastLinesOf, readLog } from './log.ts'
import type { OperatorPorts } from './ports.ts'
import { document, look, order, route } from './route.ts'

const OperationAddress = Type.Object({ operation: Type.String() })

export const operationRoutes = [
  route({
    method: 'GET',
    url: '/operations',
    needs: 'read:operations',
    tag: 'operations',
    summary: 'Operations, latest first, filtered and in pages',
    audit: look,
    query: OperationQuery,
    answers: OperationPage,
    handle: async ({ query, tenants }, { broker }) => {
      const { platform, instance, binding, state, limit = 50, cursor } = query
      const states = state === undefined ? undefined : statesIn(state)
      const page = await broker.store.look.operations(
        present({ tenants, platform, instance, binding, states, after: cursor, most: limit }),
      )
      const items = await Promise.all(page.items.map((one) => named(broker.store.look, one)))
      return document(present({ items, next: page.next }))
    },
  }),
  route({
    method: 'GET',
    url: '/operations/:operation',
    needs: 'read:operations',
    tag: 'operations',
    summary: 'One operation',
    audit: look,
    params: OperationAddress,
    answers: Operation,
    handle: async ({ params, account }, ports) => {
      const operation = await existing(ports, params.operation)
      const { tenants: rules = [] } = ports.broker.policy()
      const isTold = operation.state === 'failed' && mayReadLogs(account.access, rules, operation.tenant)
      const lines = isTold ? await lastLinesOf(ports.broker, operation.id) : []
      return document({
        ...(await named(ports.broker.store.look, operation)),
        ...present({ parameters: await orderedParameters(ports.broker.store.look, operation) }),
        ...(lines.length > 0 ? { lastLines: [...lines] } : {}),
      })
    },
  }),
  listOf('history', 'Every change of state with its reason', HistoryLine, async (see, id) =>
    (await see.history(id)).map(toHistoryLine),
  ),
  listOf('runs', "Starts of the package's program", Run, async (see, id) => (await see.runs(id)).map(toRun)),
  route({
    method: 'GET',
    url: '/operations/:operation/log',
    needs: 'read:logs',
    tag: 'operations',
    summary: 'The log; as server-sent events (Accept: text/event-stream) it is followed to the end',
    audit: look,
    params: OperationAddress,
    query: Type.Object({
      after: Type.Optional(Type.Integer({ minimum: 0, description: 'Lines after this number.' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, default: 1000 })),
    }),
    answers: Type.Object({ items: Type.Array(LogLine), next: Type.Optional(Type.Integer()) }),
    handle: async ({ params, query, header, signal }, ports) => {
      await existing(ports, params.operation)
      const { after = 0, limit = 1000 } = query
      if (!header('accept')?.includes('text/event-stream')) {
        return document(await readLog(ports.broker, params.operation, { after, most: limit }))
      }
      const last = Number(header('last-event-id'))
      const from = Number.isSafeInteger(last) && last > 0 ? last : after
      return { kind: 'events', events: followLog(ports.broker, params.operation, from, signal) }
    },
  }),
  route({
    method: 'GET',
    url: '/operations/:operation/why',
    needs: 'read:operations',
    tag: 'operations',
    summary: 'What the operation waits for',
    audit: look,
    params: OperationAddress,
    answers: Why,
    handle: async ({ params }, ports) => {
      const operation = await existing(ports, params.operation)
      return document(toWhy(operation, await why(ports.broker.store.look, operation)))
    },
  }),
  route({
    method: 'POST',
    url: '/operations/:operation/cancel',
    needs: 'cancel:operations',
    tag: 'operations',
    summary: 'Ask an operation to stop; forced, it is audited as `operation.force-end`',
    audit: order('operation.cancel'),
    needsForced: 'force:operations',
    params: OperationAddress,
    query: Type.Object({
      force: Type.Optional(
        Type.Boolean({
          description: 'End it within seconds, whoever works on it and whatever its engine does.',
        }),
      ),
    }),
    answers: Operation,
    status: 202,
    handle: async ({ params, query, asker }, ports) => {
      await cancelOperation(ports.broker, asker, params.operation, query.force)
      return document(toOperation(await existing(ports, params.operation)))
    },
  }),
  route({
    method: 'POST',
    url: '/operations/:operation/retry',
    needs: 'retry:operations',
    tag: 'operations',
    summary: 'Order again what a failed operation was to do, with other parameters if there are any',
    audit: order('operation.retry'),
    params: OperationAddress,
    body: Retry,
    answers: Ordered,
    status: 202,
    handle: async ({ params, body, asker }, ports) => {
      const { target } = await existing(ports, params.operation)
      const wanted = { id: params.operation, parameters: body.parameters }
      const operation = await retryOperation(ports.broker, asker, wanted)
      return ordered(target, { operation })
    },
  }),
  route({
    method: 'POST',
    url: '/operations/:operation/release',
    needs: 'release:operations',
    tag: 'operations',
    summary: 'Put a quarantined operation back into the queue',
    audit: order('operation.release'),
    params: OperationAddress,
    answers: Operation,
    status: 202,
    handle: async ({ params, asker }, ports) => {
      await releaseOperation(ports.broker, asker, params.operation)
      return document(toOperation(await existing(ports, params.operation)))
    },
  }),
]

/** With the name that its instance has now. */
async function named(see: Look, operation: ModelOperation): Promise<Operation> {
  const { platform, instance } = operation.target
  const found = await see.instance({ platform, instance })
  return { ...toOperation(operation), ...present({ instanceName: found?.name }) }
}

/** What belongs to an operation, all of it at once. */
function listOf<T extends TSchema>(
  name: string,
  summary: string,
  item: T,
  read: (see: Look, id: string) => Promise<readonly Static<T>[]>,
) {
  return route({
    method: 'GET',
    url: `/operations/:operation/${name}`,
    needs: 'read:operations',
    tag: 'operations',
    summary,
    audit: look,
    params: OperationAddress,
    answers: Type.Object({ items: Type.Array(item) }),
    handle: async ({ params }, ports) => {
      await existing(ports, params.operation)
      return document({ items: await read(ports.broker.store.look, params.operation) })
    },
  })
}

async function existing({ broker }: OperatorPorts, id: string) {
  return (await broker.store.look.operation(id)) ?? fail('operation.unknown', id)
}

function statesIn(text: string): readonly OperationState[] {
  return text.split(',').flatMap((word): readonly OperationState[] => {
    const state = word.trim()
    if (state === 'active') return activeStates
    if (state === 'ended') return endStates
    const known = operationStates.find((one) => one === state)
    return known ? [known] : fail('request.malformed', `there is no state ${JSON.stringify(state)}`)
  })
}
