/** What doctor --online says of things elsewhere: those that answer, those that refuse, those that are away. */
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newFolder } from '../../test/support/broker.ts'
import { sha256 } from '../kit/hash.ts'
import { loadSettings } from '../settings/load.ts'
import { examineOnline } from './examine-online.ts'

const manifest = JSON.stringify({
  schemaVersion: 2,
  mediaType: 'application/vnd.oci.image.manifest.v1+json',
  config: {
    mediaType: 'application/vnd.oci.image.config.v1+json',
    digest: `sha256:${'a'.repeat(64)}`,
    size: 2,
  },
  layers: [],
})

/** A registry with one image and one that is locked, a web server with one file, an identity provider. */
const answer: RequestListener = (request, response) => {
  const { url = '', headers } = request
  const issuer = `http://${headers.host}`
  const send = (status: number, type: string, body: string) =>
    response.writeHead(status, { 'Content-Type': type }).end(body)
  if (url.startsWith('/v2/there/manifests/'))
    return void send(200, 'application/vnd.oci.image.manifest.v1+json', manifest)
  if (url.startsWith('/v2/locked/'))
    return void send(403, 'application/json', '{"errors": [{"code": "DENIED"}]}')
  if (url.startsWith('/v2/_catalog'))
    return void send(200, 'application/json', '{"repositories": ["a", "b"]}')
  if (url === '/v2/') return void send(200, 'application/json', '{}')
  if (url === '/file.brokerpak') return void send(200, 'application/zip', 'PK')
  if (url === '/.well-known/openid-configuration')
    return void send(
      200,
      'application/json',
      JSON.stringify({ issuer, authorization_endpoint: `${issuer}/login` }),
    )
  send(404, 'application/json', '{"errors": [{"code": "NAME_UNKNOWN"}]}')
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What is found with these settings, without the time that it took. */
async function seen(lines: string, limitMs?: number) {
  const folder = newFolder()
  const file = join(folder, 'chandler.yml')
  writeFileSync(file, `dataDir: ./data\n${lines}`)
  try {
    const loaded = loadSettings({ environment: {}, folder, file })
    if (loaded.kind === 'faults') throw new Error(JSON.stringify(loaded.problems))
    const found = await examineOnline(loaded.settings, limitMs)
    return found.map(({ id, what, problems }) => [
      ...[id, what.replace(/ \(\d+ ms\)$/, '')],
      problems.map(({ code }) => code).join(),
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

let host: string
let silent: string
const web = createServer(answer)
const held: Socket[] = []
const silence = createTcpServer((socket) => void held.push(socket))
beforeAll(async () => {
  host = await listening(web)
  silent = await listening(silence)
})
afterAll(async () => {
  for (const socket of held) socket.destroy()
  web.closeAllConnections()
  await Promise.all([web, silence].map((server) => new Promise((resolve) => server.close(resolve))))
})

test('what answers is told with what it says', async () => {
  const lines = `catalog:
  - package: docker://${host}/there:1
  - package: http://${host}/file.brokerpak
  - package: sim:cache
  - source: {name: many, url: "${host}", whiteList: [.]}
auth: {oidc: {issuer: "http://${host}", clientId: ui}}
audit: {syslog: "tcp://${host}"}
`
  expect(await seen(lines)).toEqual([
    [`package docker://${host}/there:1`, `is sha256:${sha256(manifest)}`, ''],
    [`package http://${host}/file.brokerpak`, 'is there, its first 2 B came', ''],
    ['source many', 'lists 2 images', ''],
    ['identity provider', `describes itself, logs in at http://${host}/login`, ''],
    ['audit server', `tcp://${host} takes connections`, ''],
  ])
})

test('what refuses, is not there or is away is told as a problem each', async () => {
  const lines = `catalog:
  - package: docker://${host}/nothing:1
  - package: docker://${host}/locked:1
  - package: docker://127.0.0.1:1/there:1
  - package: http://${host}/missing.brokerpak
auth: {oidc: {issuer: "http://127.0.0.1:1", clientId: ui}}
audit: {syslog: "tcp://127.0.0.1:1"}
`
  expect(await seen(lines)).toEqual([
    [`package docker://${host}/nothing:1`, '', 'artifact.not-found'],
    [`package docker://${host}/locked:1`, '', 'registry.denied'],
    ['package docker://127.0.0.1:1/there:1', '', 'registry.unreachable'],
    [`package http://${host}/missing.brokerpak`, '', 'artifact.not-found'],
    ['identity provider', '', 'login.provider-away'],
    ['audit server', '', 'file.unwritable'],
  ])
})

test('what never answers is given up', async () => {
  expect(await seen(`catalog: [{package: "docker://${silent}/there:1"}]`, 50)).toEqual([
    [`package docker://${silent}/there:1`, '', 'registry.unreachable'],
  ])
})

test('without anything elsewhere nothing is asked', async () => {
  expect(await seen('catalog: [{package: "sim:cache"}]\n')).toEqual([])
})
