/** chandler osb from outside: a client of a running broker, a check of it, a lint of its catalog. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BrokerProcess, startBrokerProcess } from '../support/broker-process.ts'

let broker: BrokerProcess
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-osb-cli-'))
  broker = await startBrokerProcess({ dataDir: join(folder, 'data') })
})
afterAll(async () => {
  await broker.end('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function osb(args: readonly string[], input = ''): Promise<Ran> {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, ['bin/chandler.mjs', 'osb', ...args], {
    env: {
      PATH,
      HOME,
      CHANDLER_SERVER: broker.url,
      CHANDLER_USER: 'conformance',
      CHANDLER_PASSWORD: 'conformance-of-osb',
    },
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (piece) => {
    out += piece
  })
  child.stderr.on('data', (piece) => {
    err += piece
  })
  child.stdin.end(input)
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })))
}

async function json(args: readonly string[]): Promise<{ readonly [key: string]: unknown }> {
  const { code, out, err } = await osb([...args, '-o', 'json'])
  if (code !== 0) throw new Error(`${code}: ${err}`)
  return JSON.parse(out) as { readonly [key: string]: unknown }
}

test('an instance is ordered, changed, bound, looked at and deleted, all in the background', async () => {
  const provisioned = await json(['provision', 'alpha-db', 'slow', 'cli-1', '-p', 'size=3'])
  const updated = await json(['update', 'cli-1', '--plan', 'slow-large', '-p', 'size=4'])
  const bound = await json(['bind', 'cli-1', 'b1'])
  const fetched = await json(['fetch', 'cli-1'])
  const last = await json(['last-operation', 'cli-1', 'b1'])
  const unbound = await osb(['unbind', 'cli-1', 'b1'])
  const gone = await osb(['deprovision', 'cli-1', '--service', 'alpha-db', '--plan', 'slow-large'])
  const nothing = await osb(['fetch', 'cli-1'])

  expect(provisioned).toMatchObject({ kind: 'OsbInstance', instance: 'cli-1', state: 'provisioned' })
  expect(updated).toMatchObject({ state: 'updated' })
  expect(bound).toMatchObject({ state: 'bound', credentials: { username: expect.any(String) } })
  expect(fetched).toMatchObject({ parameters: { size: 4 } })
  expect(last).toMatchObject({ state: 'succeeded' })
  expect([unbound.code, gone.code, nothing.code]).toEqual([0, 0, 4])
})

test('what the broker refuses is said in its words, with an exit code to match', async () => {
  const unknown = await osb(['provision', 'alpha-db', 'huge'])
  const invalid = await osb(['provision', 'alpha-db', 'small', '-p', 'size=99'])
  const failed = await osb([
    'provision',
    'alpha-db',
    'slow',
    'cli-2',
    '-p',
    'sim:={"create":{"ms":1,"outcome":"fail"}}',
  ])
  const stranger = await osb(['catalog', '--user', 'nobody', '--password', 'x'])

  expect([unknown.code, invalid.code, failed.code, stranger.code]).toEqual([9, 9, 3, 6])
  expect(invalid.err).toMatch(/\/size.*<= 10/)
  expect(failed.err).toContain('(osb.operation-failed)')
})

test('cases with a map report per case, one without finds ids by name', async () => {
  const cases = ['--case', 'CAT-024,PRV-041,BND-003']
  const mapped = await json(['cases', broker.url, '--map', 'test/conformance/osb/map.json', ...cases])
  const named = await osb(['cases', ...cases, '-o', 'wide'])

  expect(mapped).toMatchObject({ kind: 'ConformanceReport', passed: 3, failed: 0, skipped: 0 })
  expect(named.out).toContain('passed  BND-003  MUST')
  expect(named.out).toContain('3 passed, 0 failed, 0 skipped')
})

test('a case that fails says why and by which rule, and ends with 9 unless it is one that may be', async () => {
  writeFileSync(
    join(folder, 'own.yaml'),
    ['SHOULD', 'MAY']
      .map(
        (level, i) =>
          `- {id: OWN-${i + 1}, title: Teapots are served, level: ${level}, ref: RFC 2324, steps: [{do: {GET: /v2/catalog}, want: {status: 418}}]}\n`,
      )
      .reduce((all, one) => all + one, 'area: own\ncases:\n'),
  )
  const may = await osb(['cases', '--cases', join(folder, 'own.yaml'), '--level', 'MAY'])
  const { code, out, err } = await osb(['cases', '--cases', join(folder, 'own.yaml')])

  expect(code).toBe(9)
  expect(may).toMatchObject({
    code: 0,
    out: expect.stringContaining('failed  OWN-2  MAY  Teapots are served'),
  })
  expect(out).toContain('failed  OWN-1  SHOULD  Teapots are served')
  expect(out).toContain('expected status 418, got 200')
  expect(out).toContain('rule: RFC 2324')
  expect(err).toContain('(conformance.not-met)')
})

test('a catalog is linted from the broker, a file or standard input', async () => {
  writeFileSync(
    join(folder, 'bad.json'),
    '{"services": [{"id": "s", "name": "n", "bindable": true, "plans": []}]}',
  )
  const own = await osb(['lint', broker.url])
  const bad = await osb(['lint', join(folder, 'bad.json')])
  const piped = await osb(['lint', '-', '--strict'], '{"services": []}')

  expect(own).toMatchObject({ code: 0, out: expect.stringContaining('cloudfoundry: accepted') })
  expect(bad).toMatchObject({
    code: 9,
    out: expect.stringContaining('/services/0/plans: the service has no plan'),
  })
  expect(piped).toMatchObject({ code: 9, out: expect.stringContaining('specification: valid') })
})

test('wrong use is told apart from a wrong broker', async () => {
  const level = await osb(['cases', '--level', 'SOMETIMES'])
  const unreachable = await osb(['catalog', '--url', 'http://127.0.0.1:1'])
  const address = await osb(['catalog', '--url', 'broker.example'])

  expect([level.code, unreachable.code, address.code]).toEqual([2, 8, 2])
  expect(level.err).toContain('there is no level SOMETIMES')
})
