import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshFolder } from '../../../test/support/image.ts'
import { systemClock } from '../../kit/clock.ts'
import { findCluster } from './credentials.ts'

let folder: string
beforeAll(() => {
  folder = freshFolder('kubeconfig')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const clock = systemClock

/** A kubeconfig with one user, whose cluster is the second of two. */
function write(user: object, cluster: object = {}): string {
  const file = join(folder, 'config')
  const config = {
    clusters: [
      { name: 'a', cluster: { server: 'https://a.test' } },
      { name: 'b', cluster: { server: 'https://b.test/', ...cluster } },
    ],
    users: [{ name: 'u', user }],
    contexts: [
      { name: 'first', context: { cluster: 'a', user: 'u' } },
      { name: 'second', context: { cluster: 'b', user: 'u', namespace: 'runs' } },
    ],
    'current-context': 'second',
  }
  writeFileSync(file, JSON.stringify(config))
  return file
}

const placeOf = (user: object, cluster?: object) =>
  findCluster({ kubeconfig: write(user, cluster), environment: {}, clock })

test('the current context is taken, with its namespace', async () => {
  const place = await placeOf({ token: 't' })

  expect(place).toMatchObject({ server: 'https://b.test', namespace: 'runs', unverified: false })
  expect(await place.credentials(false)).toEqual({ token: 't' })
})

test('another context may be named', async () => {
  const place = await findCluster({ kubeconfig: write({}), context: 'first', environment: {}, clock })

  expect(place).toMatchObject({ server: 'https://a.test', namespace: 'default' })
})

test('the kubeconfig of the environment is taken where none is named', async () => {
  const place = await findCluster({ environment: { KUBECONFIG: write({ token: 't' }) }, clock })

  expect(place.server).toBe('https://b.test')
})

test('certificates stand in it, or in files beside it', async () => {
  writeFileSync(join(folder, 'ca.pem'), 'authority')
  writeFileSync(join(folder, 'key.pem'), 'key')
  const place = await placeOf(
    { 'client-certificate-data': Buffer.from('certificate').toString('base64'), 'client-key': 'key.pem' },
    { 'certificate-authority': 'ca.pem', 'tls-server-name': 'other.test' },
  )
  const { certificate, key } = await place.credentials(false)

  expect([place.authority, certificate, key].map(String)).toEqual(['authority', 'certificate', 'key'])
  expect(place.serverName).toBe('other.test')
})

test('a token in a file is read again when it was refused', async () => {
  const file = join(folder, 'token')
  writeFileSync(file, 'one\n')
  const place = await placeOf({ tokenFile: 'token' })
  const first = await place.credentials(false)
  writeFileSync(file, 'two\n')

  expect([first, await place.credentials(false), await place.credentials(true)]).toEqual([
    { token: 'one' },
    { token: 'one' },
    { token: 'two' },
  ])
})

/** A program that counts how often it was run, and prints what it is told. */
function plugin(status: object | string): object {
  const printed = typeof status === 'string' ? status : JSON.stringify({ kind: 'ExecCredential', status })
  const text = `#!/bin/sh\necho "$WHO" >>${folder}/runs\ncat <<'END'\n${printed}\nEND\n`
  writeFileSync(join(folder, 'plugin'), text)
  chmodSync(join(folder, 'plugin'), 0o755)
  writeFileSync(join(folder, 'runs'), '')
  return { exec: { command: './plugin', env: [{ name: 'WHO', value: 'broker' }] } }
}

const runs = () => readFileSync(join(folder, 'runs'), 'utf8')

test('a program is asked once for what lasts, and again when that was refused', async () => {
  const place = await placeOf(plugin({ token: 't' }))
  const all = [await place.credentials(false), await place.credentials(false)]

  expect(all).toEqual([{ token: 't' }, { token: 't' }])
  expect(runs()).toBe('broker\n')
  await place.credentials(true)
  expect(runs()).toBe('broker\nbroker\n')
})

test('a program is asked again when its credentials are about to end', async () => {
  const place = await placeOf(plugin({ token: 't', expirationTimestamp: '2020-01-01T00:00:00Z' }))
  await place.credentials(false)
  await place.credentials(false)

  expect(runs()).toBe('broker\nbroker\n')
})

test.for([
  [
    'no kubeconfig',
    'engine.unconfigured',
    () => findCluster({ kubeconfig: join(folder, 'missing'), environment: {}, clock }),
  ],
  [
    'no context "third"',
    'engine.unconfigured',
    () => findCluster({ kubeconfig: write({}), context: 'third', environment: {}, clock }),
  ],
  [
    'prints no ExecCredential',
    'engine.unavailable',
    async () => (await placeOf(plugin('nothing'))).credentials(false),
  ],
  [
    'gives no credentials',
    'engine.unavailable',
    async () => (await placeOf({ exec: { command: './none' } })).credentials(false),
  ],
] as const)('%s is told', async ([says, code, work]) => {
  await expect(work()).rejects.toMatchObject({
    problem: { code, detail: expect.stringContaining(says) },
  })
})
