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

async function packagesOf(running: TestBroker): Promise<Readonly<Record<string, string>>> {
  const answer = await ask(running, '/api/v1/packages', { as: basic('admin') })
  const { items } = (await answer.json()) as { readonly items: readonly Package[] }
  const sandboxed = items.filter(({ tenant }) => tenant !== undefined)
  return Object.fromEntries(
    sandboxed.map(({ name, state, problems }) => [name, problems?.[0]?.code ?? state]),
  )
}

test('a start, a reload and a stop wait for no package of a sandbox; what answers is offered beside what is silent', async () => {
  const images = await startImages(['good', 'other', 'silent'])
  onTestFinished(() => images.stop())
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const sandbox = `sandbox: {registries: ["${images.host}"]}\n`
  const first = await startTestBroker(sandbox, folder)
  for (const [i, name] of ['good', 'silent'].entries()) {
    const body = { name, reference: images.references[i], tenant: name }
    const answer = await ask(first, '/api/v1/packages', { as: basic('admin'), method: 'POST', body })
    expect(answer.status).toBe(201)
  }
  await first.broker.stop()
  // As in a store that was restored without them; what nothing here has seen must be asked for.
  const store = new DatabaseSync(join(folder, 'data', 'chandler.db'))
  store.exec("DELETE FROM enrolments WHERE name LIKE 'sandbox/%'")
  store.exec(`UPDATE sandbox_packages SET reference = '${images.references[2]}' WHERE name = 'silent'`)
  store.close()
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
