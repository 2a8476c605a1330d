/** The cases of a fixture against a broker: which symbol is which id there, and a verdict per case. */
import type { Json } from '../../kit/json.ts'
import { isObject } from '../../kit/json.ts'
import type { BrokerConnection } from '../broker-connection.ts'
import { buildRequest } from './build-request.ts'
import type { Case, Fixture } from './case.ts'
import { type Bench, type CaseVerdict, runCase } from './run-case.ts'
import type { Variables } from './variables.ts'

/** Runs cases a few at a time; verdicts come as they fall. */
export async function* runCases(
  cases: readonly Case[],
  bench: Bench,
  atOnce: number,
): AsyncIterable<CaseVerdict> {
  const waiting = [...cases]
  const running = new Map<string, Promise<CaseVerdict>>()
  while (waiting.length > 0 || running.size > 0) {
    for (let next = waiting[0]; next !== undefined && running.size < atOnce; next = waiting[0]) {
      waiting.shift()
      running.set(next.id, runCase(next, bench))
    }
    const verdict = await Promise.race(running.values())
    running.delete(verdict.case.id)
    yield verdict
  }
}

/** The ids of the fixture's services and plans where a broker's catalog has them by name; nothing where it has not. */
export async function symbolsByName(
  connection: BrokerConnection,
  fixture: Fixture,
  credentials: Variables,
): Promise<Variables> {
  const answer = await connection.send(
    buildRequest({ method: 'GET', path: '/v2/catalog' }, fixture, credentials),
  )
  const symbols = new Map<string, Json>(credentials)
  for (const { service, serviceName, plans } of fixture.names) {
    const offered = named(listIn(answer.body, 'services'), serviceName)
    if (offered === undefined) continue
    symbols.set(`svc.${service}`, String(offered['id']))
    for (const plan of plans) {
      const found =
        named(listIn(offered, 'plans'), plan) ?? named(listIn(offered, 'plans'), plan.replaceAll('_', '-'))
      if (found !== undefined) symbols.set(`plan.${plan}`, String(found['id']))
    }
  }
  return symbols
}

type Named = { readonly [key: string]: unknown }

function named(list: readonly Named[], name: string): Named | undefined {
  return list.find((one) => one['name'] === name)
}

function listIn(value: unknown, key: string): readonly Named[] {
  const list = isObject(value) ? value[key] : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}
