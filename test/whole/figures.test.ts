/** Figures of a broker that died and came back: what it took up, what it found again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type BrokerProcess, orderPretended, startBrokerProcess } from '../support/broker-process.ts'

test('a broker that comes back counts what it takes up, the run it finds, its leases and what the store took', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'chandler-figures-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await start(dataDir)
  await orderPretended(first, 'i1', { ms: 3_600_000 })
  await figuresOf(first).toMatch(/chandler_leases_held 1/)
  await first.end('SIGKILL')

  const second = await start(dataDir)

  await figuresOf(second).toMatch(/chandler_takeovers_total 1/)
  await figuresOf(second).toMatch(/chandler_reattach_total\{engine="sim",result="found"\} 1/)
  await figuresOf(second).toMatch(/chandler_leases_held 1/)
  await figuresOf(second).toMatch(/chandler_lease_renewals_total [1-9]/)
  await figuresOf(second).toMatch(/chandler_store_schema_version [1-9]/)
  await figuresOf(second).toMatch(
    /chandler_store_query_duration_seconds_count\{query="write",result="ok"\} [1-9]/,
  )
  await orderPretended(second, 'i2', { ms: 10 })
  for (const phase of ['prepare', 'start', 'collect', 'finish']) {
    const labels = `format="sim",engine="${phase === 'prepare' ? 'none' : 'sim'}",phase="${phase}"`
    await figuresOf(second).toContain(`chandler_operation_overhead_seconds_count{${labels}} 1`)
  }
  await figuresOf(second).toContain(
    'chandler_operation_attempts_total{format="sim",engine="sim",result="finished"} 1',
  )
  await figuresOf(second).toMatch(/chandler_package_refresh_total\{source="sim",result="offered"\} [1-9]/)
})

async function start(dataDir: string): Promise<BrokerProcess> {
  const environment = {
    CHANDLER_HTTP_ADMIN_LISTEN: '127.0.0.1:0',
    CHANDLER_OPERATIONS_LEASE: '1s',
    CHANDLER_OPERATIONS_HEARTBEAT: '300ms',
  }
  const broker = await startBrokerProcess({ dataDir, environment })
  onTestFinished(async () => void (await broker.end('SIGKILL')))
  return broker
}

/** What there is to read, again and again until it says what is expected. */
function figuresOf({ adminUrl }: BrokerProcess) {
  return expect.poll(async () => (await fetch(`${adminUrl}/metrics`)).text())
}
