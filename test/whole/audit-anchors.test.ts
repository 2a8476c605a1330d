/** The audit trail against an administrator of the database: changes are seen by the broker's key, and by anchors kept elsewhere. */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type AuditEvidence, proveAudit, readEvidence } from '../../src/api/audit-proof.ts'
import { ask } from '../support/ask.ts'
import { basic, newFolder, startTestBroker } from '../support/broker.ts'

const folder = newFolder()
const file = join(folder, 'trail.jsonl')
let syslog = ''
let log: readonly string[] = []
let evidence: AuditEvidence

beforeAll(async () => {
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      syslog += data.toString()
    })
  })
  const port = await listening(server)
  const running = await startTestBroker(`audit: {file: ${file}, syslog: 'tcp://127.0.0.1:${port}'}\n`, folder)
  for (const id of ['i1', 'i2', 'i3']) {
    const body = { service: 'alpha-db', plan: 'small', id }
    await ask(running, '/api/v1/instances', { as: basic('admin'), method: 'POST', body })
  }
  await vi.waitUntil(() => syslog.includes('audit-anchor'), { timeout: 300_000 })
  await running.broker.stop()
  log = running.logLines
  server.close()
  evidence = readEvidence(readFileSync(file, 'utf8'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('file, syslog and log carry the same signed anchors, the first two the records, too', () => {
  // Each message comes behind its length; a server writes them as lines.
  const sent = readEvidence(syslog.replaceAll(/\d+ (?=<109>1 )/g, '\n'))
  const logged = readEvidence(log.join('\n'))
  const actions = evidence.records.map(({ action }) => action)

  expect(actions.slice(0, 2)).toEqual(['broker.start', 'instance.provision'])
  expect(actions.at(-1)).toBe('broker.stop')
  expect(sent.records).toEqual(evidence.records)
  expect([sent.anchors, logged.anchors]).toEqual([evidence.anchors, evidence.anchors])
  expect(proveAudit(evidence)).toMatchObject({ faults: [], records: evidence.records.length })
})

test.each<[string, (given: AuditEvidence) => AuditEvidence, string]>([
  ['the first records are gone', cut((records) => records.slice(1)), 'records 1 to 1 are missing'],
  ['the end is gone', cut(() => []), 'are missing'],
  ['one is gone from the middle', cut((records) => records.filter(({ seq }) => seq !== 2)), 'records 2 to 2'],
  [
    'one was changed',
    cut((records) => records.map((one) => (one.seq === 1 ? { ...one, action: 'nothing' } : one))),
    'record 1 was changed',
  ],
  [
    'an anchor was moved',
    ({ records, anchors }) => ({ records, anchors: anchors.map((one) => ({ ...one, seq: one.seq + 1 })) }),
    'is not signed by',
  ],
  [
    'another key signed',
    ({ records, anchors }) => ({
      records,
      anchors: [
        ...anchors,
        ...anchors.map((one) => ({ ...one, publicKey: Buffer.alloc(32, 1).toString('base64') })),
      ],
    }),
    'is not signed by',
  ],
])('offline, %s: told', (_, change, fault) => {
  const proof = proveAudit(change(evidence), evidence.anchors[0]?.publicKey)

  expect(proof.faults.join('\n')).toContain(fault)
})

test('the command needs neither broker nor store', () => {
  const verify = (...more: readonly string[]) =>
    execFileSync(process.execPath, ['bin/chandler.mjs', 'audit', 'verify', ...more], { encoding: 'utf8' })
  const logFile = join(folder, 'broker.log')
  writeFileSync(logFile, log.join('\n'))

  expect(verify('--anchors', file)).toContain(`The ${evidence.records.length} records agree with`)
  expect(verify('--anchors', logFile, '--records', file)).toContain('agree with')
  writeFileSync(join(folder, 'cut.jsonl'), readFileSync(file, 'utf8').split('\n').slice(1).join('\n'))
  expect(() => verify('--anchors', file, '--records', join(folder, 'cut.jsonl'))).toThrow(
    'records 1 to 1 are missing',
  )
})

test('rows that somebody took out of the database are missed by the broker', async () => {
  const database = new DatabaseSync(join(folder, 'data', 'chandler.db'))
  database.exec('DELETE FROM audit')
  database.close()
  const running = await startTestBroker('', folder)

  const answer = await ask(running, '/api/v1/audit/verify', { as: basic('admin') })
  const verdict = (await answer.json()) as { readonly intact: boolean }
  await running.broker.stop()

  expect(verdict).toMatchObject({ intact: false, firstBreak: { seq: 1 } })
})

function cut(change: (records: AuditEvidence['records']) => AuditEvidence['records']) {
  return ({ records, anchors }: AuditEvidence): AuditEvidence => ({ records: change(records), anchors })
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
