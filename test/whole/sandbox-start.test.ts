/** A broker starts, reads its file again and stops whatever the registry of an author does, or does not. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Package } from '../../src/api/package.ts'
import { digestOf } from '../../src/kit/hash.ts'
import { bundleLabels } from '../sources/push.ts'
import { ask } from '../support/ask.ts'
import { basic, newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'
import { startFlakyServer } from '../support/flaky-server.ts'

const manifestType = 'application/vnd.oci.image.manifest.v1+json'

/** A registry of images by the digests of their parts; one that is silent takes every question and answers none. */
async function startImages(names: readonly string[]) {
  const parts = new Map<string, Buffer>()
  const keep = (document: object) => {
    const bytes = Buffer.from(JSON.stringify(document))
    parts.set(digestOf(bytes), bytes)
    return { digest: digestOf(bytes), size: bytes.length }
  }
  const digests = names.map((name) => {
    const configuration = {
      ...{ architecture: 'amd64', os: 'linux', rootfs: { type: 'layers', diff_ids: [] } },
      config: { Entrypoint: ['/entrypoint'], Labels: bundleLabels(name) },
    }
    const mediaType = 'application/vnd.oci.image.config.v1+json'
    const config = { mediaType, ...keep(configuration) }
    return keep({ schemaVersion: 2, mediaType: manifestType, config, layers: [] }).digest
  })
  const silent = new Set<string>()
  const server = await startFlakyServer(({ url = '' }, response) => {
    const [, , name = '', kind, digest = ''] = url.split('/')
    if (silent.has(name)) return
    const type = kind === 'manifests' ? manifestType : 'application/octet-stream'
    const bytes = parts.get(digest)
    if (bytes === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': type, 'docker-content-digest': digest }).end(bytes)
  })
  const references = names.map((name, i) => `docker://${server.host}/${name}@${digests[i]}`)
  return { ...server, silent, references }
}

/** Its sandboxed packages as an account sees them: their state, or why they are refused. */
async function packagesOf(
  running: TestBroker,
  as = basic('admin'),
): Promise<Readonly<Record<string, string>>> {
  const answer = await ask(running, '/api/v1/packages', { as })
  const { items } = (await answer.json()) as { readonly items: readonly Package[] }
  const sandboxed = items.filter(({ tenant }) => tenant !== undefined)
  return Object.fromEntries(
    sandboxed.map(({ name, state, problems }) => [name, problems?.[0]?.code ?? state]),
  )
}

async function offer(running: TestBroker, name: string, reference: string | undefined): Promise<void> {
  const body = { name, reference, tenant: name }
  const answer = await ask(running, '/api/v1/packages', { as: basic('admin'), method: 'POST', body })
  expect(answer.status).toBe(201)
}

/** As in a store that was restored without what was read; of this one package another image stands there, which nothing here has seen. */
function forget(folder: string, name: string, reference: string | undefined): void {
  const store = new DatabaseSync(join(folder, 'data', 'chandler.db'))
  store.exec("DELETE FROM enrolments WHERE name LIKE 'sandbox/%'")
  store.exec(`UPDATE sandbox_packages SET reference = '${reference}' WHERE name = '${name}'`)
  store.close()
}

function freshFolder(): string {
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a start, a reload and a stop wait for no package of a sandbox; what answers is offered beside what is silent', async () => {
  const images = await startImages(['good', 'other', 'silent'])
  onTestFinished(() => images.stop())
  const folder = freshFolder()
  const sandbox = `sandbox: {registries: ["${images.host}"]}\n`
  const first = await startTestBroker(sandbox, folder)
  await offer(first, 'good', images.references[0])
  await offer(first, 'silent', images.references[1])
  await first.broker.stop()
  forget(folder, 'silent', images.references[2])
  images.silent.add('silent')

  const next = await startTestBroker(sandbox, folder)
  const unread = expect.stringMatching(/^(?:package\.unread|registry\.unreachable)$/)
  const left = { 'sandbox/good/good': 'offered', 'sandbox/silent/silent': unread }
  await vi.waitFor(async () => expect(await packagesOf(next)).toEqual(left), { timeout: 60_000 })
  await next.reload((text) => text.replace('package: sim:beta-queue', 'package: sim:gamma-queue'))
  expect(await packagesOf(next)).toEqual(left)
  const offered = next.broker.catalog().offers.flatMap(({ sandbox: tenant }) => tenant ?? [])
  expect(offered).toEqual(['good'])
  await next.broker.stop()
})

test('a package that cannot be read is shown in its own tenant, and in no other', async () => {
  const images = await startImages(['good'])
  onTestFinished(() => images.stop())
  const folder = freshFolder()
  const sandbox = `sandbox: {registries: ["${images.host}"]}\n`
  const users = ['gone', 'other'].map(
    (tenant) => `    - {name: of-${tenant}, password: "${tenant}", role: author, tenants: [${tenant}]}\n`,
  )
  const withUsers = (text: string) => text.replace('\nshutdown:', `\n${users.join('')}shutdown:`)
  const first = await startTestBroker(sandbox, folder, withUsers)
  await offer(first, 'gone', images.references[0])
  await first.broker.stop()
  forget(folder, 'gone', `docker://${images.host}/gone@sha256:${'0'.repeat(64)}`)

  const next = await startTestBroker(sandbox, folder, withUsers)
  const left = { 'sandbox/gone/gone': 'artifact.not-found' }
  await vi.waitFor(async () => expect(await packagesOf(next)).toEqual(left), { timeout: 60_000 })
  const of = (tenant: string) => `Basic ${Buffer.from(`of-${tenant}:${tenant}`).toString('base64')}`
  const shown = async (tenant: string) =>
    (await ask(next, '/api/v1/packages/sandbox%2Fgone%2Fgone', { as: of(tenant) })).status
  expect([await packagesOf(next, of('gone')), await shown('gone')]).toEqual([left, 200])
  expect([await packagesOf(next, of('other')), await shown('other')]).toEqual([{}, 404])
  await next.broker.stop()
})
