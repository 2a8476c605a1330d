/** Engines that were decided for tenants by command: opened at each start, looked at by doctor, and no obstacle to a start. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Finding } from '../../src/api/findings.ts'
import { examine } from '../../src/cli/examination.ts'
import { ask } from '../support/ask.ts'
import { basic, newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'

const folder = newFolder()
const kubernetes = 'kubernetes: {kubeconfig: ./cluster.yml, helper: registry.test/helper}\n'

async function decide(running: TestBroker, name: string, engine: string): Promise<void> {
  const body = { name, engine }
  const answer = await ask(running, '/api/v1/tenants', { as: basic('admin'), method: 'POST', body })
  expect(answer.status).toBe(201)
}

beforeAll(async () => {
  const cluster = { name: 'c', cluster: { server: 'http://127.0.0.1:9' } }
  const context = { name: 'x', context: { cluster: 'c', user: 'u' } }
  const users = [{ name: 'u', user: { token: 't' } }]
  const document = { 'current-context': 'x', clusters: [cluster], contexts: [context], users }
  writeFileSync(join(folder, 'cluster.yml'), JSON.stringify(document))
  const both = 'tenants: [{name: a, engine: docker}, {name: b, engine: kubernetes/bank}]\n'
  const running = await startTestBroker(kubernetes + both, folder)
  await decide(running, 'harbour', 'docker')
  await decide(running, 'bank', 'kubernetes/bank')
  await running.broker.stop()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a broker with these settings says of itself, and what doctor says when it is over. */
async function lookedAt(more: string) {
  const running = await startTestBroker(more, folder)
  const answer = await ask(running, '/api/v1/examination', { as: basic('admin') })
  const { findings } = (await answer.json()) as { readonly findings: readonly Finding[] }
  await running.broker.stop()
  return { looks: [findings, await examine({ config: join(folder, 'chandler.yml') })], log: running.logLines }
}

test('engines that only tenants of the store name are opened at the next start, and looked at', async () => {
  const { looks } = await lookedAt(kubernetes)
  for (const findings of looks) {
    const ids = findings.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(['engine docker', 'engine kubernetes/bank']))
    expect(findings.filter(({ id }) => id === 'tenants').map(({ state }) => state)).toEqual(['ok'])
  }
})

test('a broker starts without one that is not set up any more, and doctor names the tenant', async () => {
  const nowhere = 'kubernetes: {kubeconfig: ./gone.yml, helper: registry.test/helper}\n'
  const { looks, log } = await lookedAt(nowhere)
  expect(log.filter((line) => line.includes('open the engine kubernetes/bank'))).toEqual([
    expect.stringContaining('gone.yml'),
  ])
  for (const findings of looks) {
    expect(findings.map(({ id }) => id)).not.toContain('engine kubernetes/bank')
    expect(findings.filter(({ id }) => id === 'tenants')).toEqual([
      {
        id: 'tenants',
        state: 'fail',
        what: expect.stringContaining('tenant bank runs on kubernetes/bank only'),
        fix: expect.stringContaining('chandler tenant set bank --engine NAME'),
      },
    ])
  }
  // Doctor just tried, and tells the reason.
  expect(looks[1]?.find(({ id }) => id === 'tenants')?.what).toContain('gone.yml')
})
