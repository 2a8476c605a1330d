/** The broker as a process: signals, reload, health, exit codes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { configuration, newFolder, passwords } from '../support/broker.ts'
import { installedProgram } from '../support/installed.ts'

let program: string
let folder: string
const children: ChildProcess[] = []
beforeAll(() => {
  program = installedProgram()
  folder = newFolder()
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(join(program, '..', '..'), { recursive: true, force: true })
})

test('SIGTERM drains and ends with 0; the next start finds everything again', async () => {
  const first = await started('again', configuration())
  const made = await osb(first.url, 'PUT', '/v2/service_instances/i1?accepts_incomplete=true')
  first.child.kill('SIGTERM')
  const code = await first.ended
  const second = await started('again', configuration())
  const polled = await osb(second.url, 'GET', '/v2/service_instances/i1/last_operation')

  expect([made.status, code, polled.status]).toEqual([202, 0, 200])
  expect(first.lines.join('')).toContain('"event":"broker.stopped"')
})

test('a signal that comes twice at once, from a terminal and from who passes it on, drains; a second one later ends at once', async () => {
  const patient = configuration().replace('drainDelay: 0s', 'drainDelay: 60s')
  const [brief, long] = [await started('echo', configuration()), await started('insist', patient)]
  for (const child of [brief.child, brief.child, long.child]) child.kill('SIGTERM')
  await long.line('broker.drains')
  await pause(1000)
  long.child.kill('SIGTERM')

  expect([await brief.ended, await long.ended]).toEqual([0, 143])
})

test('who follows a log is told to come back when the broker drains, and SIGUSR2 logs what is going on', async () => {
  const { child, url, ended, line } = await started('follow', `${configuration()}`)
  const made = await osb(url, 'PUT', '/v2/service_instances/i1?accepts_incomplete=true', { ms: -1 })
  const { operation } = (await made.json()) as { operation: string }
  const followed = fetch(`${url}/api/v1/operations/${operation}/log`, {
    headers: { Authorization: operator(), Accept: 'text/event-stream' },
  })
  const stream = await followed
  child.kill('SIGUSR2')
  const snapshot = JSON.parse(await line('diagnostics.snapshot'))
  child.kill('SIGTERM')
  const text = await stream.text()

  expect(snapshot).toMatchObject({ running: 1, memory: { rss: expect.any(Number) } })
  expect(text).toContain('event: reconnect')
  expect(text).not.toContain('event: end')
  expect(await ended).toBe(0)
})

test('a connection on which nothing was asked, as browsers open them beforehand, holds up no drain', async () => {
  const { child, url, ended } = await started(
    'beforehand',
    configuration().replace('drain: 2s', 'drain: 600s'),
  )
  const { hostname, port } = new URL(url)
  const silent = connect(Number(port), hostname).resume()
  await once(silent, 'connect')
  await fetch(`${url}/healthz`)
  child.kill('SIGTERM')
  await once(silent, 'close')

  expect(await ended).toBe(0)
})

test('SIGQUIT logs what is going on and ends the process where it stands', async () => {
  const { child, line, ended } = await started('quit', configuration())
  child.kill('SIGQUIT')
  const snapshot = JSON.parse(await line('diagnostics.snapshot'))
  await ended

  expect(snapshot).toMatchObject({ running: 0, node: expect.any(String), cluster: expect.any(String) })
  expect(child.signalCode).toBe('SIGABRT')
})

test('health answers with reasons on the admin address, and with a word on the main one', async () => {
  const { url, admin } = await started('health', configuration())
  const verbose = await (await fetch(`${admin}/readyz?verbose`)).text()
  const json = await (
    await fetch(`${admin}/readyz?verbose`, { headers: { Accept: 'application/json' } })
  ).json()
  const metrics = await (await fetch(`${admin}/metrics`)).text()

  expect((await fetch(`${admin}/livez`)).status).toBe(200)
  expect((await fetch(`${admin}/startupz`, { method: 'HEAD' })).status).toBe(200)
  expect(verbose).toMatch(/\[\+\]store ok \(\d+ ms\)/)
  expect(json).toMatchObject({
    ok: true,
    checks: expect.arrayContaining([expect.objectContaining({ name: 'disk' })]),
  })
  expect(await (await fetch(`${url}/readyz?verbose`)).text()).toBe('ok\n')
  expect((await fetch(`${url}/metrics`)).status).toBe(404)
  expect(metrics).toContain('chandler_catalog_plans{format="sim"} 3')
  expect(metrics).toMatch(/chandler_build_info\{version="[^"]+",node_version="v24/)
})

test('a reload takes over accounts and names what needs a restart; a faulty one changes nothing', async () => {
  const { child, url, file, line } = await started('reload', configuration())
  writeFileSync(
    file,
    `${configuration().replace('./data', './data-reload').replace(passwords.platform, 'a-fresh-password')}operations: {lease: 20s}\n`,
  )
  child.kill('SIGHUP')
  const taken = await line('config.reloaded')
  const old = await osb(url, 'GET', '/v2/catalog')
  const fresh = await osb(url, 'GET', '/v2/catalog', { password: 'a-fresh-password' })
  writeFileSync(file, 'auth: {users: [{name: a, password: x, role: emperor}]}\n')
  child.kill('SIGHUP')
  const refused = await line('config.refused')

  expect(JSON.parse(taken)).toMatchObject({
    taken: ['auth.users'],
    needs_restart: ['operations.lease'],
  })
  expect([old.status, fresh.status]).toEqual([401, 200])
  expect(refused).toContain('the role emperor')
  expect((await osb(url, 'GET', '/v2/catalog', { password: 'a-fresh-password' })).status).toBe(200)
})

test('a password file that is renewed is taken over without a signal, and one that is gone changes nothing', async () => {
  const secret = join(folder, 'platform-password')
  writeFileSync(secret, passwords.platform)
  const text = configuration().replace(`password: ${passwords.platform}`, `password_file: ${secret}`)
  const { url, line } = await started('renewed', text)
  rmSync(secret)
  await line('secrets.refused')
  const before = await osb(url, 'GET', '/v2/catalog')
  writeFileSync(secret, 'a-renewed-password')
  const renewed = JSON.parse(await line('secrets.renewed'))

  expect(before.status).toBe(200)
  expect(renewed).toMatchObject({ taken: ['auth.users'], needs_restart: [] })
  expect((await osb(url, 'GET', '/v2/catalog')).status).toBe(401)
  expect((await osb(url, 'GET', '/v2/catalog', { password: 'a-renewed-password' })).status).toBe(200)
})

test('a crowd of guessers is told to wait', async () => {
  const { url } = await started('guess', `${configuration()}limits: {failedLoginsPerSecond: 3}\n`)
  expect((await osb(url, 'GET', '/v2/catalog')).status).toBe(200)
  const statuses = []
  for (let i = 0; i < 12; i++)
    statuses.push((await osb(url, 'GET', '/v2/catalog', { password: `guess-${i}` })).status)

  expect(statuses).toContain(429)
  expect((await osb(url, 'GET', '/v2/catalog')).status).toBe(200)
})

test.each<[string, string, number, string]>([
  ['a fault in the configuration', 'engine: nothing\n', 78, 'must be one of auto'],
  [
    'a database that stays away',
    "store: {url: 'postgres://127.0.0.1:1/x', connectTimeout: 100ms}\nsecrets: {keyring: ./k}\n",
    69,
    'store.unavailable',
  ],
])('%s ends the start with a code that supervisors know', async (name, more, code, text) => {
  const { ended, errors } = launch(name.replaceAll(' ', '-'), more + configuration())

  expect(await ended).toBe(code)
  expect(errors()).toContain(text)
})

test('a data folder that cannot be made ends the start with its code and its name', async () => {
  const { ended, errors } = launch('no-folder', configuration().replace('./data', '/dev/null/data'))

  expect(await ended).toBe(73)
  expect(errors()).toContain('(file.unwritable)')
  expect(errors()).toContain('/dev/null/data')
  expect(errors()).not.toContain('internal.unexpected')
})

test('a taken address and a taken database end the start, too', async () => {
  const { url, admin } = await started('taken', configuration())
  const text = configuration().replace('127.0.0.1:0', new URL(url).host)
  const address = launch('taken-address', text)
  const database = launch('taken-database', configuration().replace('./data', join(folder, 'data-taken')))

  expect([await address.ended, await database.ended]).toEqual([78, 75])
  expect(address.errors()).toContain(new URL(url).host)
  expect(database.errors()).toContain('store.locked')
  expect(address.errors() + database.errors()).not.toMatch(/^ +at /m)
  expect((await fetch(`${admin}/readyz`)).status).toBe(200)
})

interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  readonly file: string
  readonly lines: readonly string[]
  errors(): string
  /** The next line with this event. */
  line(event: string): Promise<string>
}

function launch(name: string, text: string): Running {
  const file = join(folder, `${name}.yml`)
  writeFileSync(file, text.replace('./data', `./data-${name}`))
  const child = spawn(process.execPath, [program, 'serve', '--config', file], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  const lines: string[] = []
  const waiting: { event: string; resolve: (line: string) => void }[] = []
  let rest = ''
  let errors = ''
  child.stdout?.on('data', (bytes) => {
    const all = (rest + bytes).split('\n')
    rest = all.pop() ?? ''
    for (const line of all) {
      lines.push(line)
      for (const one of waiting) if (line.includes(`"event":"${one.event}"`)) one.resolve(line)
    }
  })
  child.stderr?.on('data', (bytes) => {
    errors += bytes
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return {
    child,
    ended,
    file,
    lines,
    errors: () => errors,
    line: (event) =>
      new Promise((resolve, reject) => {
        const known = lines.find((one) => one.includes(`"event":"${event}"`))
        if (known !== undefined) resolve(known)
        waiting.push({ event, resolve })
        void ended.then(() => reject(new Error(`ended without ${event}: ${errors}`)))
      }),
  }
}

async function started(name: string, text: string) {
  const running = launch(name, text)
  const ready = JSON.parse(await running.line('broker.ready'))
  return { ...running, url: String(ready.url), admin: String(ready.admin) }
}

function operator(): string {
  return `Basic ${Buffer.from(`admin:${passwords.admin}`).toString('base64')}`
}

function osb(
  url: string,
  method: string,
  path: string,
  { password = passwords.platform, ms = 200 }: { readonly password?: string; readonly ms?: number } = {},
) {
  const body = {
    service_id: '',
    plan_id: '',
    organization_guid: 'o',
    space_guid: 's',
    parameters: { sim: { create: { ms } } },
  }
  return planIds(url).then(({ service, plan }) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Basic ${Buffer.from(`platform:${password}`).toString('base64')}`,
        'X-Broker-API-Version': '2.17',
        'Content-Type': 'application/json',
      },
      ...(method === 'PUT' ? { body: JSON.stringify({ ...body, service_id: service, plan_id: plan }) } : {}),
    }),
  )
}

/** Ids as the operator sees them. */
async function planIds(url: string): Promise<{ readonly service: string; readonly plan: string }> {
  const response = await fetch(`${url}/api/v1/catalog`, {
    headers: { Authorization: operator() },
  })
  const { services } = (await response.json()) as { services: { id: string; plans: { id: string }[] }[] }
  return { service: services[0]?.id ?? '', plan: services[0]?.plans[0]?.id ?? '' }
}
