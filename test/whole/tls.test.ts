/** TLS from outside: the certificate of the settings is shown, and a renewed one after a reload. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { open } from '../support/attacks.ts'
import { basic, newFolder, passwords, startTestBroker } from '../support/broker.ts'
import { codeOf } from '../support/problems.ts'

const missing = spawnSync('openssl', ['version']).status !== 0

test.skipIf(missing)(
  'TLS serves the certificate, and the renewed one after a reload; one that is none changes nothing',
  async () => {
    const folder = newFolder()
    makeCertificate(folder, 'first')
    const tls = '  tls: {certificateFile: ./tls.crt, keyFile: ./tls.key}\n'
    const running = await startTestBroker('', folder, (text) =>
      text.replace(
        /^http: \{(.*)\}\n/,
        (_all, inner: string) => `http:\n  ${inner.replace(', ', '\n  ')}\n${tls}`,
      ),
    )
    const first = await ask(running.url, folder)
    makeCertificate(folder, 'second')
    await running.reload()
    const second = await ask(running.url, folder)
    writeFileSync(join(folder, 'tls.key'), 'no key')
    const services = running.broker.catalog().offers.length
    const refused = await codeOf(
      running.reload((text) => text.replace(/^catalog:\n/m, 'catalog:\n  - package: sim:fresh\n')),
    )
    const kept = await ask(running.url, folder)
    const offered = running.broker.catalog().offers.length
    await running.stop()
    rmSync(folder, { recursive: true, force: true })

    const lasting = 'max-age=31536000'
    expect(first).toEqual({ status: 200, name: 'first', lasting })
    expect(second).toEqual({ status: 200, name: 'second', lasting })
    expect([refused, kept, offered]).toEqual(['settings.invalid', second, services])
  },
)

test.skipIf(missing).each([
  ['says nothing', ''],
  ['begins a handshake and stops', '\x16\x03\x01\x02\x00\x01'],
])('a client that %s loses its connection, and others are served', async (_, text) => {
  const folder = newFolder()
  makeCertificate(folder, 'one')
  const tls = '  tls: {certificateFile: ./tls.crt, keyFile: ./tls.key}\n  headersTimeout: 1s\n'
  const running = await startTestBroker('', folder, (all) =>
    all.replace(
      /^http: \{(.*)\}\n/,
      (_all, inner: string) => `http:\n  ${inner.replace(', ', '\n  ')}\n${tls}`,
    ),
  )
  const stalled = await Promise.all(Array.from({ length: 30 }, () => open(running.url, text)))
  const served = await ask(running.url, folder)
  for (const { socket } of stalled) socket.once('end', () => socket.destroy())
  await Promise.all(stalled.map(({ cutOff }) => cutOff))
  await running.stop()
  rmSync(folder, { recursive: true, force: true })

  expect(served.status).toBe(200)
})

test.skipIf(missing).each([
  ['ECDHE-ECDSA-AES128-SHA', 'TLSv1.2', false],
  ['ECDHE-ECDSA-AES256-SHA384', 'TLSv1.2', false],
  ['AES128-SHA', 'TLSv1.2', false],
  ['ECDHE-ECDSA-AES128-SHA', 'TLSv1.1', false],
  ['ECDHE-ECDSA-AES128-GCM-SHA256', 'TLSv1.2', true],
  ['ECDHE-ECDSA-CHACHA20-POLY1305', 'TLSv1.2', true],
  ['TLS_AES_128_GCM_SHA256', 'TLSv1.3', true],
] as const)('%s of %s is taken: %s', async (cipher, version, isTaken) => {
  const folder = newFolder()
  makeCertificate(folder, 'one')
  const tls = '  tls: {certificateFile: ./tls.crt, keyFile: ./tls.key}\n'
  const running = await startTestBroker('', folder, (text) =>
    text.replace(
      /^http: \{(.*)\}\n/,
      (_all, inner: string) => `http:\n  ${inner.replace(', ', '\n  ')}\n${tls}`,
    ),
  )
  const { hostname, port } = new URL(running.url)
  const reached = await new Promise<boolean>((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      // Old ones are refused by the broker, not by the library of this test.
      ciphers: version === 'TLSv1.3' ? cipher : `${cipher}:@SECLEVEL=0`,
      minVersion: version,
      maxVersion: version,
      rejectUnauthorized: false,
    })
    socket.once('secureConnect', () => resolve(true))
    socket.once('error', () => resolve(false))
  })
  await running.stop()

  expect(reached).toBe(isTaken)
})

test.skipIf(missing)(
  'a client certificate stands for the account that names it, beside passwords, and for no browser',
  async () => {
    const folder = newFolder()
    makeCertificate(folder, 'server')
    for (const name of ['known', 'stranger']) {
      mkdirSync(join(folder, name))
      makeCertificate(join(folder, name), 'cf')
    }
    const tls =
      '  tls: {certificateFile: ./tls.crt, keyFile: ./tls.key, clientCaFile: ./known/tls.crt, clientCertificates: request}\n'
    const user = '    - {name: cf, certificate: CN=cf, role: platform}\n'
    const running = await startTestBroker('', folder, (text) =>
      text
        .replace(
          /^http: \{(.*)\}\n/,
          (_all, inner: string) => `http:\n  ${inner.replace(', ', '\n  ')}\n${tls}`,
        )
        .replace('shutdown:', `${user}shutdown:`),
    )
    const status = async (shown: string | undefined, headers: Record<string, string> = {}) => {
      const identity = shown === undefined ? {} : identityIn(join(folder, shown))
      return (await ask(running.url, folder, { ...identity, headers })).status
    }
    try {
      expect(await status('known')).toBe(200)
      expect(await status('stranger')).toBe(401)
      expect(await status(undefined)).toBe(401)
      expect(await status('known', { 'Sec-Fetch-Site': 'cross-site' })).toBe(401)
      expect(await status('known', { Origin: 'https://elsewhere.example' })).toBe(401)
      expect(await status('known', { Authorization: 'Basic d3Jvbmc6d3Jvbmc=' })).toBe(401)
      expect(await status(undefined, { Authorization: basic('platform') })).toBe(200)
      await running.reload((text) => text.replace(user, ''))
      expect(await status('known')).toBe(401)
    } finally {
      await running.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

function identityIn(folder: string) {
  return { cert: readFileSync(join(folder, 'tls.crt')), key: readFileSync(join(folder, 'tls.key')) }
}

function makeCertificate(folder: string, name: string): void {
  const { status, stderr } = spawnSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      'tls.key',
    ].concat([
      '-out',
      'tls.crt',
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    ]),
    { cwd: folder },
  )
  if (status !== 0) throw new Error(String(stderr))
}

interface Asked {
  readonly status: number
  readonly name: string
  /** For how long a browser asks encrypted only. */
  readonly lasting: unknown
}

interface Shown {
  readonly cert?: Buffer
  readonly key?: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

async function ask(
  url: string,
  folder: string,
  { headers = { Authorization: basic('platform') }, ...identity }: Shown = {},
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/v2/catalog`,
      {
        ca: readFileSync(join(folder, 'tls.crt')),
        ...identity,
        headers: { 'X-Broker-API-Version': '2.17', ...headers },
        agent: false,
      },
      (response) => {
        const { CN: name } = (response.socket as TLSSocket).getPeerCertificate().subject
        response.resume()
        const { 'strict-transport-security': lasting } = response.headers
        response.on('end', () => resolve({ status: response.statusCode ?? 0, name: String(name), lasting }))
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

test.skipIf(missing)(
  'the command line says why it does not trust a broker, and takes the file that mends it',
  async () => {
    const folder = newFolder()
    makeCertificate(folder, 'one')
    const tls = '  tls: {certificateFile: ./tls.crt, keyFile: ./tls.key}\n'
    const running = await startTestBroker('', folder, (all) =>
      all.replace(
        /^http: \{(.*)\}\n/,
        (_all, inner: string) => `http:\n  ${inner.replace(', ', '\n  ')}\n${tls}`,
      ),
    )
    const env = {
      ...process.env,
      XDG_CONFIG_HOME: folder,
      CHANDLER_USER: 'admin',
      CHANDLER_PASSWORD: passwords.admin,
    }
    const chandler = async (...words: string[]) => {
      const ran = promisify(execFile)(process.execPath, ['bin/chandler.mjs', ...words], { env })
      return ran.catch((error: unknown) => error as { readonly stdout: string; readonly stderr: string })
    }
    const file = join(folder, 'tls.crt')
    const strange = await chandler('catalog', '--server', running.url)
    const none = await chandler('catalog', '--server', running.url, '--ca-file', join(folder, 'tls.key'))
    const plain = await chandler('catalog', '--server', running.url.replace('https:', 'http:'))
    const trusted = await chandler('catalog', '-o', 'name', '--server', running.url, '--ca-file', file)
    await chandler('login', running.url, '--user', 'admin', '--ca-file', file)
    const remembered = await chandler('catalog', '-o', 'name')
    await running.stop()
    rmSync(folder, { recursive: true, force: true })

    expect(strange.stderr).toMatch(/authority that this machine does not know[\s\S]*--ca-file FILE/)
    expect(none.stderr).toContain('holds no certificate')
    expect(plain.stderr).toContain('(server.unreachable)')
    expect([trusted.stdout, remembered.stdout]).toEqual([
      expect.stringContaining('alpha-db/small'),
      expect.stringContaining('alpha-db/small'),
    ])
  },
)
