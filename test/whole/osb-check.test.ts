/** chandler osb check as a user runs it: what it orders, what it says of foreign brokers, and how it ends. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Fault } from '../support/foreign/faults.ts'
import { startFaultyBroker } from '../support/foreign/faulty-broker.ts'
import { startRightBroker } from '../support/foreign/right-broker.ts'
import { account, type ForeignBroker } from '../support/foreign/wire.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-osb-check-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function begin(broker: ForeignBroker, args: readonly string[], user = account) {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, CHANDLER_USER: user.user, CHANDLER_PASSWORD: user.password }
  const child = spawn(process.execPath, ['bin/chandler.mjs', 'osb', 'check', broker.url, ...args], { env })
  const said = { out: '', err: '' }
  child.stdout.on('data', (piece) => {
    said.out += piece
  })
  child.stderr.on('data', (piece) => {
    said.err += piece
  })
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, ...said })),
  )
  return { child, ended }
}

function check(broker: ForeignBroker, ...args: readonly string[]) {
  return begin(broker, args).ended
}

async function right(options?: Parameters<typeof startRightBroker>[0]): Promise<ForeignBroker> {
  const broker = await startRightBroker(options)
  onTestFinished(() => broker.close())
  return broker
}

async function faulty(...given: readonly Fault[]): Promise<ForeignBroker> {
  const broker = await startFaultyBroker(...given)
  onTestFinished(() => broker.close())
  return broker
}

test('without --order it only looks, and says what it would order', async () => {
  const broker = await right()
  const { code, err } = await check(broker)

  expect(code).toBe(0)
  expect(err).toContain('lamp/desk {"watts":5}')
  expect(broker.asked.every((line) => line.startsWith('GET '))).toBe(true)
})

test('a finding names rule, section, request, answer and what was expected', async () => {
  const broker = await faulty('does not see a conflict', 'answers 409 to the same order')
  const plan = ['--order', '--plan', 'pump/hand', '--plan', 'pump/toy']
  const text = await check(broker, ...plan)
  const document = JSON.parse((await check(broker, ...plan, '-o', 'json')).out)
  const junit = await check(broker, ...plan, '-o', 'junit')

  expect(text.code).toBe(9)
  expect(text.out).toMatch(
    /MUST +pump\/hand +provision\.conflict: .*\n +specification: Provisioning\n +request: +PUT \/v2\/.*\n +answer: +200 .*\n +expected: 409\n +got: +200/,
  )
  expect(text.out).toMatch(/made \d+, deleted \d+, left 0/)
  expect(document).toMatchObject({ kind: 'BrokerCheck', version: '2.17', summary: { left: 0 } })
  expect(junit.out).toMatch(/<failure type="MUST" message="expected 409, got 200 \{\}">/)
  expect(junit.out.match(/<testcase /g)?.length).toBeGreaterThan(50)
  expect(broker.left()).toEqual([])
})

test('the weakest level that fails is chosen', async () => {
  const broker = await faulty('drops the request identity')
  const usual = await check(broker)
  const strict = await check(broker, '--fail-on', 'SHOULD')

  expect([usual.code, strict.code]).toEqual([0, 9])
  expect(usual.out).toContain('SHOULD  broker  identity.request')
})

test('interrupted, it deletes what it ordered', async () => {
  const broker = await right()
  const { child, ended } = begin(broker, ['--order'])
  await vi.waitFor(() => expect(broker.left()).not.toEqual([]), { timeout: 300_000, interval: 1 })
  child.kill('SIGINT')
  const { code, err, out } = await ended

  expect(err).toContain('What was ordered is deleted now')
  expect(err).toContain('(conformance.stopped)')
  expect(out).toMatch(/left 0/)
  expect([code, broker.left()]).toEqual([8, []])
})

test.skipIf(spawnSync('openssl', ['version']).status !== 0)(
  'a bearer token goes over TLS, with a certificate of ours, to a broker whose authority is given',
  async () => {
    const [certFile, keyFile, tokenFile] = ['tls.crt', 'tls.key', 'token'].map((name) =>
      join(folder, name),
    ) as [string, string, string]
    const form = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=lamps'
    const names = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', keyFile, '-out', certFile]
    spawnSync('openssl', ['req', ...form.split(' '), ...names])
    writeFileSync(tokenFile, 'of-the-platform\n')
    const [cert, key] = [readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8')]
    const tls = { cert, key, ca: cert, requestCert: true, rejectUnauthorized: true }
    const broker = await right({ token: 'of-the-platform', tls })
    const known = ['--token-file', tokenFile, '--ca-file', certFile]
    const shown = await check(broker, ...known, '--cert-file', certFile, '--key-file', keyFile)
    const hidden = await check(broker, ...known)
    const strange = await check(broker, '--token-file', tokenFile)

    expect([shown.code, hidden.code, strange.code]).toEqual([0, 8, 8])
  },
)

test.each([
  ['--api-version', '2.10', 'is no version from 2.11 to 2.17'],
  ['--fail-on', 'MAY', 'there is no level MAY'],
  ['--wait', 'soon', 'is no duration'],
])('wrong use is told: %s %s', async (option, value, words) => {
  const { code, err } = await check(await right(), option, value)

  expect([code, err]).toEqual([2, expect.stringContaining(words)])
})
