/** The conformance cases against a broker process of our own, on a store of choice. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrokerConnection, connectToBroker } from '../../../src/client/broker-connection.ts'
import { readCases } from '../../../src/client/conformance/read-cases.ts'
import type { CaseVerdict } from '../../../src/client/conformance/run-case.ts'
import { runCases } from '../../../src/client/conformance/run-cases.ts'
import { systemChance, systemClock } from '../../../src/kit/clock.ts'
import type { Json } from '../../../src/kit/json.ts'
import { startBrokerProcess } from '../../support/broker-process.ts'
import { startPostgres } from '../../support/postgres.ts'

export type ConformanceStore = 'sqlite' | 'postgres'

/** Starts a broker, runs case files or folders, and ends it. */
export async function* runConformance(
  paths: readonly string[],
  store: ConformanceStore,
  around: (connection: BrokerConnection) => BrokerConnection = (connection) => connection,
): AsyncIterable<CaseVerdict> {
  const dataDir = mkdtempSync(join(tmpdir(), 'chandler-osb-'))
  const server = store === 'postgres' ? await startPostgres() : undefined
  const broker = await startBrokerProcess({ dataDir, store: server ? await server.database() : 'sqlite' })
  const connection = connectToBroker({ url: broker.url })
  const { fixture, cases } = readCases(paths)
  const map = JSON.parse(readFileSync('test/conformance/osb/map.json', 'utf8')) as Record<string, Json>
  try {
    const bench = {
      connection: around(connection),
      fixture,
      symbols: new Map(Object.entries(map)),
      clock: systemClock,
      chance: systemChance,
      waitMs: 30_000,
    }
    yield* runCases(cases, bench, 8)
  } finally {
    await connection.close()
    await broker.end('SIGTERM')
    await server?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
