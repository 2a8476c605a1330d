/** Our own broker does what every conformance case wants, on both stores, in words that Cloud Foundry understands. */
import { expect, test } from 'vitest'
import type { BrokerAnswer, BrokerConnection, BrokerRequest } from '../../../src/client/broker-connection.ts'
import { ownCases } from '../../../src/client/conformance/read-cases.ts'
import type { CaseVerdict } from '../../../src/client/conformance/run-case.ts'
import { type CloudFoundryCall, readAsCloudFoundry } from '../../support/cloud-foundry.ts'
import { missingPostgres } from '../../support/stores.ts'
import { runConformance } from './run.ts'

test('211 of 211 on SQLite, no warnings, and Cloud Foundry is never misled', async () => {
  const seen: (readonly [BrokerRequest, BrokerAnswer])[] = []
  const verdicts = await collect(runConformance([ownCases()], 'sqlite', (inner) => listening(inner, seen)))

  expect(faultsIn(verdicts)).toEqual([])
  expect(verdicts).toHaveLength(211)
  expect(seen.length).toBeGreaterThan(500)
  expect(seen.flatMap(misleading)).toEqual([])
})

test.skipIf(missingPostgres !== undefined)(
  '211 of 211 on PostgreSQL, no warnings',
  async () => {
    const verdicts = await collect(runConformance([ownCases()], 'postgres'))

    expect(faultsIn(verdicts)).toEqual([])
    expect(verdicts).toHaveLength(211)
  },
  300_000,
)

function faultsIn(verdicts: readonly CaseVerdict[]): readonly string[] {
  return verdicts.flatMap((one) =>
    one.outcome === 'passed'
      ? one.warnings.map((warning) => `${one.case.id}: ${warning}`)
      : [`${one.case.id} ${one.outcome}: ${one.faults.join('; ')}`],
  )
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

function listening(
  inner: BrokerConnection,
  seen: (readonly [BrokerRequest, BrokerAnswer])[],
): BrokerConnection {
  return {
    ...inner,
    async send(request) {
      const answer = await inner.send(request)
      seen.push([request, answer])
      return answer
    },
  }
}

/** A success that is not taken for one, an answer that is not understood, a clean-up for something that was refused. */
function misleading([request, answer]: readonly [BrokerRequest, BrokerAnswer]): readonly unknown[] {
  const call = callOf(request)
  if (call === undefined || answer.status === 304) return []
  const read = readAsCloudFoundry(call, { status: answer.status, text: answer.text, requires: [] })
  const fine =
    answer.status < 300 === (read.verdict === 'accepted' && answer.status !== 410 && answer.status !== 400) &&
    read.error !== 'ServiceBrokerResponseMalformed' &&
    (!read.orphanMitigation || answer.status >= 500)
  return fine ? [] : [{ call, status: answer.status, text: answer.text, read }]
}

function callOf({ method, path }: BrokerRequest): CloudFoundryCall | undefined {
  const [route = ''] = path.split('?')
  const [, , kind, instance, bindings, binding, last] = route.split('/')
  if (kind === 'catalog') return 'catalog'
  if (kind !== 'service_instances' || instance === undefined) return undefined
  const ofBinding = bindings === 'service_bindings' && binding !== undefined
  switch (method) {
    case 'PUT':
      return ofBinding ? 'bind' : 'provision'
    case 'PATCH':
      return 'update'
    case 'DELETE':
      return ofBinding ? 'unbind' : 'deprovision'
    default:
      if (last === 'last_operation') return 'fetch_service_binding_last_operation'
      if (bindings === 'last_operation') return 'fetch_service_instance_last_operation'
      return ofBinding ? 'fetch_service_binding' : 'fetch_service_instance'
  }
}
