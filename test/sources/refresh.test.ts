/** What a source asks of its registry the second time: the digest of what it knows, and no more. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/kit/json.ts'
import { offeringOn, Platform } from '../cnab/platform.ts'
import { startTestBroker, type TestBroker } from '../support/broker.ts'
import { closeServer, listen, registryMissing, startRegistry } from '../support/registry.ts'
import { bundleLabels, pushImage } from './push.ts'

const missing = registryMissing()
const closings: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

interface Witness {
  readonly host: string
  /** Methods and paths of images that were asked for since it was asked last. */
  asked(): readonly string[]
}

/** Passes everything on to a registry and writes it down; it may keep digests to itself, as some proxies do. */
async function startWitness(registry: string, hidesDigests: boolean): Promise<Witness> {
  const asked: string[] = []
  const server = createServer((from, to) => {
    const { method = 'GET', url = '/', headers } = from
    if (!url.startsWith('/v2/_catalog') && url !== '/v2/') asked.push(`${method} ${url.replace('/v2/', '')}`)
    const onward = request(`http://${registry}${url}`, { method, headers }, (answer) => {
      const { 'docker-content-digest': digest, ...rest } = answer.headers
      const told = hidesDigests || digest === undefined ? rest : { ...rest, 'docker-content-digest': digest }
      to.writeHead(answer.statusCode ?? 500, told)
      answer.pipe(to)
    })
    from.pipe(onward)
  })
  await listen(server)
  closings.push(() => closeServer(server))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked.splice(0).sort(),
  }
}

async function sourceAt(hidesDigests: boolean, more: JsonObject = {}) {
  const registry = await startRegistry()
  closings.push(() => registry.stop())
  for (const name of ['org/queue-apb', 'org/table-apb']) await push(registry.host, name)
  const witness = await startWitness(registry.host, hidesDigests)
  const source = { name: 'dh', url: witness.host, whiteList: ['.*'], refreshInterval: '1d', ...more }
  const broker = await startTestBroker('', undefined, offeringOn([{ source }]))
  closings.push(() => broker.stop())
  witness.asked()
  return { registry: registry.host, witness, broker }
}

function push(host: string, name: string, more = ''): Promise<string> {
  return pushImage(host, name, bundleLabels(name.replace('/', '-'), more))
}

/** A reload lists sources anew, whatever their interval. */
async function relist(broker: TestBroker): Promise<void> {
  await broker.reload((text) => text.replace('"1d"', '"2d"'))
}

async function described(broker: TestBroker): Promise<string> {
  return JSON.stringify(await new Platform(broker).catalog())
}

describe('the second listing', { skip: missing !== undefined }, () => {
  test('asks only for the digest of what it knows', async () => {
    const { broker, witness } = await sourceAt(false)
    await relist(broker)

    expect(witness.asked()).toEqual([
      'HEAD org/queue-apb/manifests/latest',
      'HEAD org/table-apb/manifests/latest',
    ])
    expect(await described(broker)).toContain('dh-org-queue-apb')
  })

  test('reads what has another digest', async () => {
    const { broker, witness, registry } = await sourceAt(false)
    await push(registry, 'org/table-apb', 'tags: [newer]\n')
    await relist(broker)

    expect(witness.asked()).toEqual([
      expect.stringMatching('GET org/table-apb/blobs/sha256:'),
      'GET org/table-apb/manifests/latest',
      'HEAD org/queue-apb/manifests/latest',
      'HEAD org/table-apb/manifests/latest',
    ])
    expect(await described(broker)).toContain('newer')
  })

  test('reads the manifest where the registry keeps digests to itself', async () => {
    const { broker, witness } = await sourceAt(true)
    await relist(broker)

    expect(witness.asked()).toContain('GET org/queue-apb/manifests/latest')
    expect(await described(broker)).toContain('dh-org-queue-apb')
  })

  test('reads everything anew when the options of the source have changed', async () => {
    const { broker, witness } = await sourceAt(false)
    await broker.reload((text) => text.replace('".*"', '"apb"'))

    expect(witness.asked().filter((line) => line.startsWith('HEAD'))).toEqual([])
  })
})

describe('a service with an override', { skip: missing !== undefined }, () => {
  test('is known with its own options', async () => {
    const overrides = [{ service: 'dh-org-queue-apb', options: { launchOnBind: 'never' } }]
    const { broker, witness } = await sourceAt(false, { overrides })
    await relist(broker)

    expect(witness.asked()).toEqual([
      'HEAD org/queue-apb/manifests/latest',
      'HEAD org/table-apb/manifests/latest',
    ])
  })
})
