/** Thousands of malformed and hostile requests from a seed: each is refused in clear words, and nothing breaks or leaks. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isObject } from '../../src/kit/json.ts'
import { makeRandom } from '../simulation/world.ts'
import { accounts, type BrokerProcess, startBrokerProcess } from '../support/broker-process.ts'
import { readAsCloudFoundry } from '../support/cloud-foundry.ts'
import { type HostileGround, type HostileRequest, hostileRequest } from '../support/hostile-requests.ts'
import { sharedPostgres } from '../support/postgres.ts'
import { type RawAnswer, sendRaw } from '../support/raw-http.ts'
import { missingPostgres } from '../support/stores.ts'

// FUZZ_SEED draws others; FUZZ_ONLY sends one of them again.
const seed = Number(process.env['FUZZ_SEED'] ?? 20_260_101)
const only = process.env['FUZZ_ONLY']

test('2,600 requests on SQLite: all that are wrong are refused, none breaks anything', async () => {
  await attack({ store: 'sqlite', count: 2600, refusedAtLeast: 2000 })
})

test.skipIf(missingPostgres !== undefined)(
  '700 requests on PostgreSQL: the same',
  async () => {
    const server = await sharedPostgres()
    await attack({ store: await server.database(), count: 700, refusedAtLeast: 500 })
  },
  300_000,
)

interface Attack {
  readonly store: string
  readonly count: number
  readonly refusedAtLeast: number
}

async function attack({ store, count, refusedAtLeast }: Attack): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'chandler-fuzz-'))
  const broker = await startBrokerProcess({ dataDir, store })
  try {
    const ground = await prepare(broker)
    const numbers = only === undefined ? Array.from({ length: count }, (_, i) => i) : [Number(only)]
    const faults: string[] = []
    let refused = 0
    for (const batch of batches(numbers, 16)) {
      const sent = await Promise.all(batch.map((number) => sendOne(broker.url, number, ground)))
      refused += sent.filter(({ hostile }) => hostile.expect === 'refused').length
      faults.push(...sent.flatMap((one) => faultsOf(one)))
    }

    expect(faults.slice(0, 20)).toEqual([])
    if (only === undefined) expect(refused).toBeGreaterThanOrEqual(refusedAtLeast)
    expect(await aliveAfter(broker)).toEqual([])
  } finally {
    await broker.end('SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

interface Sent {
  readonly number: number
  readonly hostile: HostileRequest
  readonly answers: readonly RawAnswer[]
}

async function sendOne(url: string, number: number, ground: HostileGround): Promise<Sent> {
  const hostile = hostileRequest(makeRandom(seed + number), ground)
  return { number, hostile, answers: await sendRaw(url, hostile) }
}

const ids = {
  service_id: '27972921-2b8d-494d-ba32-f8c688ccafc9',
  plan_id: '86484a09-6ffa-4969-b4bb-72ddd2e7e502',
}

async function prepare({ url }: BrokerProcess): Promise<HostileGround> {
  const answer = await fetch(`${url}/v2/service_instances/fuzz-ground`, {
    method: 'PUT',
    headers: { Authorization: accounts.platform, 'X-Broker-API-Version': '2.17' },
    body: JSON.stringify({ ...ids, organization_guid: 'o', space_guid: 's', parameters: { secret: canary } }),
  })
  expect(answer.status).toBe(201)
  return {
    authorization: { platform: accounts.platform, operator: accounts.operator },
    service: ids.service_id,
    plan: ids.plan_id,
    asyncPlan: '1d843d93-86d2-41b8-86c1-4e0349a3e670',
    instance: 'fuzz-ground',
  }
}

/** A parameter marked secret, and the passwords of the configuration: none of them may ever be said. */
const canary = 'canary-7d1f0c'
const secrets = [canary, 'conformance-of-osb', 'conformance-of-operators', 'conformance-of-neighbours']
const inside =
  /\bat \S+ \(|node:internal|\/src\/|\.(?:ts|mjs|js):\d+|SQLITE_|sqlite|postgres|ECONN|TypeError|undefined/i

function faultsOf({ number, hostile, answers }: Sent): readonly string[] {
  const label = `FUZZ_SEED=${seed} FUZZ_ONLY=${number} (${hostile.name})`
  if (answers.length === 0) return [`${label}: no answer`]
  return answers.flatMap(({ status, headers, text }) => {
    const say = (what: string) => [`${label}: ${what}: ${status} ${text.slice(0, 300)}`]
    const allowed =
      hostile.expect === 'refused' ? status >= 400 && status < 500 : status < 500 && status >= 200
    if (!allowed) return say('unexpected status')
    const body = parsed(text)
    if (!isObject(body)) return say('no JSON object')
    if (status >= 400 && !isClear(body)) return say('no clear words')
    if (!/^application\/(?:problem\+)?json/.test(headers['content-type'] ?? '')) return say('content type')
    if (wouldCleanUp(hostile, status, text)) return say('Cloud Foundry would clean up what was never made')
    const leak = secrets.find((secret) => text.includes(secret))
    if (leak !== undefined) return say(`tells ${leak}`)
    return status >= 400 && inside.test(text) ? say('tells of the inside') : []
  })
}

/** A refused order must not make the platform delete anything. */
function wouldCleanUp({ bytes }: HostileRequest, status: number, text: string): boolean {
  const [, binding] =
    /^PUT \/v2\/service_instances\/[^/ ]+(\/service_bindings\/)?/.exec(bytes.toString('latin1')) ?? []
  const call = binding === undefined ? 'provision' : 'bind'
  return (
    readAsCloudFoundry(call, { status, text, requires: [] }).orphanMitigation &&
    bytes.subarray(0, 4).toString() === 'PUT '
  )
}

/** One sentence that a person understands. */
function isClear(body: { readonly [key: string]: unknown }): boolean {
  return [body['description'], body['message']].some(
    (words) => typeof words === 'string' && words.length > 10,
  )
}

async function aliveAfter(broker: BrokerProcess): Promise<readonly string[]> {
  const catalog = await fetch(`${broker.url}/v2/catalog`, {
    headers: { Authorization: accounts.platform, 'X-Broker-API-Version': '2.17' },
  })
  const log = broker.said()
  const bad = log.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line))
  return [
    ...(catalog.status === 200 ? [] : [`the catalog answers ${catalog.status}`]),
    ...bad.slice(0, 5),
    ...secrets.filter((secret) => log.includes(secret)).map((secret) => `the log tells ${secret}`),
  ]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function* batches<T>(items: readonly T[], size: number): Iterable<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size)
}
