/** What a support bundle tells from the rows of the store: nodes, keys, packages, operations with their history. */
import { toCluster } from '../../api/cluster.ts'
import { toHistoryLine, toOperation, toRun } from '../../api/operation.ts'
import { toPackage } from '../../api/package.ts'
import { moment } from '../../api/words.ts'
import { why } from '../../broker/why.ts'
import { lastLinesOf } from '../../http/operator/log.ts'
import { present } from '../../kit/present.ts'
import type { Instance } from '../../model/instance.ts'
import { activeStates, hasEnded, type Operation } from '../../model/operation.ts'
import { fail } from '../../model/problem.ts'
import { problemCodes } from '../../model/problem-codes.ts'
import type { Look } from '../../store/store.ts'
import type { Seen } from '../seen.ts'
import { documentFile, type SupportFile, type SupportWish } from './file.ts'

const operationsMost = 200
const logPieces = 5000

/** The operations that are told: the one that was asked for, those under way, and those of late. Problems: operation.unknown. */
export async function toldOperations(look: Look, wish: SupportWish): Promise<readonly Operation[]> {
  const { sinceMs, operation: id } = wish
  const from = (await look.now()) - sinceMs
  const named = id === undefined ? [] : [(await look.operation(id)) ?? fail('operation.unknown', id)]
  const active = await look.operations({ states: activeStates, most: operationsMost })
  const latest = await look.operations({ most: operationsMost })
  const all = [...named, ...active.items, ...latest.items.filter(({ createdAt }) => createdAt >= from)]
  return [...new Map(all.map((one) => [one.id, one])).values()].slice(0, operationsMost)
}

/** Everything but what was asked for by its id. */
export async function storeFiles(
  look: Look,
  operations: readonly Operation[],
  seen: readonly Seen[],
): Promise<readonly SupportFile[]> {
  return [
    documentFile('cluster.json', 'nodes, counts by state, freeze, records by key', {
      ...toCluster({
        ...{ cluster: await look.cluster(), nodes: await look.nodes(), counts: await look.countByState() },
      }),
      sealed: await look.sealedByKey(),
      auditRecords: await look.auditHeight(),
    }),
    documentFile('findings.json', 'keys, audit trail, nodes and operations as doctor judges them', {
      findings: seen.map(toFinding),
    }),
    documentFile('packages.json', 'packages of the catalog, and why one is refused', {
      items: (await look.enrolments()).map((one) => toPackage(one)),
    }),
    documentFile('operations.json', 'operations with history, runs and last lines; without parameters', {
      items: await Promise.all(operations.map((one) => operationOf(look, one))),
    }),
    documentFile('instances.json', 'the instances of these operations; without parameters', {
      items: await instancesOf(look, operations),
    }),
  ]
}

/** The whole log of an operation. */
export async function logFile(look: Look, operation: string): Promise<SupportFile> {
  const rows = await look.lastLog(operation, logPieces)
  const text = Buffer.concat(rows.map(({ bytes }) => bytes)).toString()
  return { name: `operation-${operation}.log`, about: 'what the program of the operation printed', text }
}

function toFinding({ id, what, problems, advice = [] }: Seen) {
  return {
    ...{ id, what, advice },
    problems: problems.map(({ code, detail, hint }) => ({
      ...{ code, title: problemCodes[code].title },
      ...present({ detail, hint: hint ?? problemCodes[code].hint }),
    })),
  }
}

async function operationOf(look: Look, operation: Operation) {
  const [history, runs] = await Promise.all([look.history(operation.id), look.runs(operation.id)])
  const isActive = !hasEnded(operation.state)
  return {
    ...toOperation(operation),
    history: history.map(toHistoryLine),
    runs: runs.map(toRun),
    ...present({
      why: isActive ? await why(look, operation) : undefined,
      lastLines:
        operation.state === 'succeeded' ? undefined : await lastLinesOf({ store: { look } }, operation.id),
    }),
  }
}

async function instancesOf(look: Look, operations: readonly Operation[]) {
  const keys = new Map(
    operations.map(({ target }) => [JSON.stringify([target.platform, target.instance]), target]),
  )
  const found = await Promise.all([...keys.values()].map((key) => look.instance(key)))
  return found.flatMap((instance) => (instance === undefined ? [] : [toInstance(instance)]))
}

function toInstance(instance: Instance) {
  const { platform, instance: id, tenant, state, generation, serviceId, planId, digest } = instance
  const { currentOperation, maintenance, createdAt, updatedAt } = instance
  return {
    ...{ platform, id, tenant, state, generation, serviceId, planId, digest },
    ...present({ currentOperation, maintenance }),
    ...{ createdAt: moment(createdAt), updatedAt: moment(updatedAt) },
  }
}
