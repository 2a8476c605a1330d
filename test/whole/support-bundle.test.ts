/** Support bundles from outside: what is in one, what is not, and the command that writes it. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { register } from '../../src/cli/commands/support-bundle.ts'
import { sha256 } from '../../src/kit/hash.ts'
import { ask } from '../support/ask.ts'
import {
  basic,
  newFolder,
  passwords,
  startTestBroker,
  type TestBroker,
  type User,
} from '../support/broker.ts'
import { codeOf } from '../support/problems.ts'
import { runCommand } from '../support/run-command.ts'
import { unpacked } from '../support/unpacked.ts'

/** Sent as a parameter that is marked `writeOnly`, and then typed by an operator where no mask expects it. */
const planted = 'planted-in-a-parameter'

let running: TestBroker
let folder: string
let failed: string
beforeAll(async () => {
  running = await startTestBroker()
  folder = newFolder()
  const ends = { sim: { create: { ms: 1, outcome: 'fail' } } }
  failed = await order('/instances', {
    ...wish('broken'),
    parameters: { ...ends, secret: planted, size: 730_173_017 },
  })
  await order('/instances', { ...wish('works'), parameters: { secret: `${planted}-too` } })
  await order('/instances/chandler/works/bindings', { id: 'app' })
  const credentials = await document('/instances/chandler/works/bindings/app/credentials')
  const reason = `${planted}-too and ${JSON.stringify(credentials['credentials'])}`
  await ask(running, '/api/v1/freeze', { as: basic('admin'), method: 'POST', body: { reason } })
})
afterAll(async () => {
  await running.stop()
  rmSync(folder, { recursive: true, force: true })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

function wish(id: string) {
  return { service: 'alpha-db', plan: 'small', id }
}

async function document(path: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await ask(running, `/api/v1${path}`, { as: basic('admin') })
  return (await answer.json()) as Readonly<Record<string, unknown>>
}

async function order(path: string, body: object): Promise<string> {
  const answer = await ask(running, `/api/v1${path}`, { as: basic('admin'), method: 'POST', body })
  const { operation } = (await answer.json()) as { readonly operation: string }
  await vi.waitFor(
    async () => expect((await document(`/operations/${operation}`))['state']).toMatch(/succeeded|failed/),
    { timeout: 300_000, interval: 50 },
  )
  return operation
}

async function bundle(query = ''): Promise<ReadonlyMap<string, string>> {
  const answer = await ask(running, `/api/v1/support-bundle${query}`, { as: basic('admin') })
  expect(answer.headers.get('content-type')).toBe('application/gzip')
  return unpacked(new Uint8Array(await answer.arrayBuffer()))
}

test('a bundle says what it holds, with digests, and tells of process, store and operations', async () => {
  const files = await bundle()
  const manifest = JSON.parse(files.get('manifest.json') ?? '')
  const names = manifest.files.map(({ name }: { readonly name: string }) => name)

  expect(names).toEqual([...files.keys()].slice(1))
  for (const { name, bytes, sha256: digest } of manifest.files) {
    const text = files.get(name) ?? ''
    expect([Buffer.byteLength(text), sha256(text)]).toEqual([bytes, digest])
  }
  expect(manifest).toMatchObject({ kind: 'SupportBundle', version: '0.0.0-test', leftOut: [] })
  expect(files.get('figures.txt')).toContain('chandler_build_info')
  expect(files.get('log.jsonl')).toContain('"event":"http.request"')
  expect(JSON.parse(files.get('health.json') ?? '').checks.length).toBeGreaterThan(3)
  const { items } = JSON.parse(files.get('operations.json') ?? '')
  expect(items.find(({ id }: { readonly id: string }) => id === failed)).toMatchObject({
    ...{ state: 'failed', problem: { code: 'operation.failed' } },
    ...{
      history: expect.arrayContaining([expect.objectContaining({ state: 'failed' })]),
      runs: [{ stage: 0 }],
    },
  })
})

test('nothing secret is in it, wherever it was written, and no parameter', async () => {
  const { credentials } = (await document('/instances/chandler/works/bindings/app/credentials')) as {
    readonly credentials: Readonly<Record<string, string>>
  }
  const frozen = JSON.stringify(await document('/cluster'))
  const all = [...(await bundle(`?operation=${failed}`)).values()].join('\n')

  expect(frozen).toContain(planted)
  expect(all).toContain('[redacted] and ')
  for (const secret of [
    planted,
    credentials['password'],
    credentials['username'],
    ...Object.values(passwords),
  ])
    expect(all).not.toContain(secret)
  expect(all).not.toContain('730173017')
})

test('the log of an operation comes with it when it is named, whenever it was', async () => {
  const late = await bundle('?sinceSeconds=1')
  const named = await bundle(`?sinceSeconds=1&operation=${failed}`)

  expect([...late.keys()].filter((name) => name.endsWith('.log'))).toEqual([])
  expect(named.get(`operation-${failed}.log`)).toContain('pretending')
  expect((await ask(running, '/api/v1/support-bundle?operation=x', { as: basic('admin') })).status).toBe(404)
})

test('it is for operators, and on record', async () => {
  const asked = (user: User) => ask(running, '/api/v1/support-bundle', { as: basic(user) })
  expect([(await asked('watcher')).status, (await asked('platform')).status]).toEqual([403, 403])
  await asked('admin')

  const { items } = await document('/audit?action=support.bundle&limit=500')
  expect(items).toContainEqual(
    expect.objectContaining({ actor: { kind: 'user', id: 'admin' }, decision: 'allowed' }),
  )
})

async function command(words: readonly string[]): Promise<string> {
  vi.stubEnv('CHANDLER_SERVER', running.url)
  vi.stubEnv('CHANDLER_USER', 'admin')
  vi.stubEnv('CHANDLER_PASSWORD', passwords.admin)
  return runCommand(register, ['support-bundle', ...words])
}

test('the command lists what it would hold, and writes it for its owner alone, over nothing', async () => {
  const file = join(folder, 'bundle.tar.gz')
  const listed = await command(['--list'])
  const written = await command(['--file', file, '-o', 'json'])

  expect(listed).toMatch(/operations\.json +\S+ \w+ +operations with history/)
  expect(JSON.parse(written)).toMatchObject({ kind: 'SupportBundle', file, leftOut: [] })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect([...unpacked(readFileSync(file)).keys()]).toContain('manifest.json')
  expect(await codeOf(command(['--file', file]))).toBe('file.unwritable')
  expect(await codeOf(command(['--log', file]))).toBe('usage.invalid')
})

test('without a broker it is made from configuration, doctor, store and a log', async () => {
  const apart = newFolder()
  const secret = 'password-of-the-configuration'
  const config = join(apart, 'chandler.yml')
  const log = join(apart, 'broker.log')
  writeFileSync(
    config,
    `http: {listen: '127.0.0.1:0', adminListen: 'off'}
dataDir: ./data
auth: {users: [{name: admin, password: ${secret}, role: operator}]}
catalog: [{package: "sim:cache", plans: [{name: tiny, from: default, inputs: {region: hidden-region}}]}]
`,
  )
  writeFileSync(log, `first\nlogged in with ${secret}\nlast\n`)
  try {
    const file = join(apart, 'none.tar.gz')
    await runCommand(register, [
      'support-bundle',
      '--local',
      '--config',
      config,
      '--log',
      log,
      '--file',
      file,
    ])
    const files = unpacked(readFileSync(file))
    const all = [...files.values()].join('\n')

    expect(JSON.parse(files.get('manifest.json') ?? '').leftOut).toEqual(['the store: there is none yet'])
    expect(files.get('broker.log')).toBe('first\nlogged in with [redacted]\nlast\n')
    expect(files.get('doctor.json')).toContain('"id": "data folder"')
    expect(files.get('settings.json')).toContain('"region"')
    expect(files.get('settings.json')).toContain('chandler.yml line 1')
    expect(all).not.toContain(secret)
    expect(all).not.toContain('hidden-region')
  } finally {
    rmSync(apart, { recursive: true, force: true })
  }
})

test('the store of a broker that has ended is told as by the broker', async () => {
  const ended = await startTestBroker()
  try {
    const answer = await ask(ended, '/api/v1/instances', {
      as: basic('admin'),
      method: 'POST',
      body: wish('kept'),
    })
    expect(answer.status).toBe(202)
    await ended.broker.stop()
    const file = join(folder, 'ended.tar.gz')
    const config = join(ended.folder, 'chandler.yml')
    await runCommand(register, ['support-bundle', '--local', '--config', config, '--file', file])
    const files = unpacked(readFileSync(file))

    expect(JSON.parse(files.get('manifest.json') ?? '').leftOut).toEqual([])
    expect(files.get('operations.json')).toContain('"instance": "kept"')
  } finally {
    rmSync(ended.folder, { recursive: true, force: true })
  }
})
