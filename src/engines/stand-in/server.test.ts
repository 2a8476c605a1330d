import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../kit/clock.ts'
import { serveApi } from './server.ts'
import { firstSnapshot } from './session.ts'
import { openSessionFiles, type SessionFiles } from './session-files.ts'

const sandbox = { pod: 'bundle-1', namespace: 'sandbox', target: 'target' }
const secrets = '/api/v1/namespaces/sandbox/secrets'
let folder: string
let files: SessionFiles
const closing: (() => Promise<void>)[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stand-in-'))
  files = open()
  for (const run of ['one', 'two']) {
    const snapshot = firstSnapshot(run, sandbox, 'image', 0)
    files.add({ run, token: `token-${run}`, port: 0, sandbox, openedAt: 0, snapshot, unserved: [] })
  }
})

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
  rmSync(folder, { recursive: true })
})

function open(): SessionFiles {
  return openSessionFiles(folder, systemClock, [new Uint8Array([127, 0, 0, 1])])
}

async function serve(from = files) {
  const server = await serveApi(from, systemClock, { host: '127.0.0.1', port: 0 })
  closing.push(server.close)
  return server
}

interface Asked {
  readonly port: number
  readonly path: string
  readonly token?: string
  readonly method?: string
  readonly body?: string
  readonly onData?: (text: string) => boolean
}

/** Asks as a client does that trusts the authority alone; a stream is left when `onData` says so. */
function ask({
  port,
  path,
  token = 'token-one',
  method = 'GET',
  body,
  onData,
}: Asked): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        host: '127.0.0.1',
        servername: 'kubernetes.default',
        ca: files.identity().authority,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        port,
        path,
        method,
      },
      (answer) => {
        let text = ''
        answer.on('data', (bytes: Buffer) => {
          text += bytes.toString()
          if (onData?.(text)) {
            answer.destroy()
            resolve({ code: answer.statusCode ?? 0, text })
          }
        })
        answer.on('end', () => resolve({ code: answer.statusCode ?? 0, text }))
      },
    )
    asking.on('error', reject)
    asking.end(body)
  })
}

test('its certificate is trusted by its authority under the names of a cluster', async () => {
  const { port } = await serve()

  expect((await ask({ port, path: '/version' })).code).toBe(200)
})

test.each(['', 'token', 'token-three'])('the token %j opens nothing', async (token) => {
  const { port } = await serve()

  expect((await ask({ port, path: '/version', token })).code).toBe(401)
})

test('a run does not see what another has made', async () => {
  const { port } = await serve()
  await ask({ port, path: secrets, method: 'POST', body: '{"metadata":{"name":"s"}}' })

  expect((await ask({ port, path: `${secrets}/s` })).code).toBe(200)
  expect((await ask({ port, path: `${secrets}/s`, token: 'token-two' })).code).toBe(404)
})

test('another process on the folder knows what was answered', async () => {
  const { port } = await serve()
  await ask({ port, path: secrets, method: 'POST', body: '{"metadata":{"name":"s"}}' })
  const later = await serve(open())

  expect((await ask({ port: later.port, path: `${secrets}/s` })).code).toBe(200)
})

test('a watch tells what is there and what changes', async () => {
  const { port } = await serve()
  const watching = ask({
    port,
    path: `${secrets}?watch=true`,
    onData: (text) => text.includes('"DELETED"'),
  })
  // The first change comes when the watch is known to listen.
  while (files.session('one')?.watching === 0) await systemClock.sleep(5)
  await ask({ port, path: secrets, method: 'POST', body: '{"metadata":{"name":"s"}}' })
  await ask({ port, path: `${secrets}/s`, method: 'DELETE' })
  const lines = (await watching).text.trim().split('\n')

  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(['ADDED', 'DELETED'])
})

test('a watch that nobody reads ends', async () => {
  const { port } = await serve()
  const asking = request({
    host: '127.0.0.1',
    servername: 'kubernetes.default',
    ca: files.identity().authority,
    headers: { authorization: 'Bearer token-one' },
    port,
    path: `${secrets}?watch=true`,
  })
  asking.on('error', () => undefined)
  const unread = once(asking, 'response')
  asking.end()
  await unread
  const session = files.session('one')
  const key = { resource: 'secrets', namespace: 'sandbox', name: 's' }
  const object = { metadata: { name: 's' }, data: { a: 'A'.repeat(1_000_000) } }
  while (session?.watching === 1) {
    session.tell({ type: 'MODIFIED', key, object })
    await systemClock.sleep(1)
  }
  asking.destroy()

  expect(session?.watching).toBe(0)
  expect((await ask({ port, path: '/version', token: 'token-two' })).code).toBe(200)
})

test('a body that is too large is refused', async () => {
  const { port } = await serve()
  const body = JSON.stringify({ metadata: { name: 's' }, data: { a: 'A'.repeat(4_000_000) } })

  expect((await ask({ port, path: secrets, method: 'POST', body })).code).toBe(413)
})

/** A request whose body does not end, on a connection of its own; answers the status, or 0 for none. */
function halfSent(port: number, token: string, bytes: number) {
  const asking = request({
    ...{ host: '127.0.0.1', port, path: secrets, method: 'POST', agent: false },
    ...{ servername: 'kubernetes.default', ca: files.identity().authority },
    headers: { authorization: `Bearer ${token}`, 'content-length': String(bytes + 1) },
  })
  const code = new Promise<number>((resolve) => {
    asking.on('response', (answer) => resolve(answer.statusCode ?? 0))
    asking.on('error', () => resolve(0))
  })
  asking.write(Buffer.alloc(bytes, 32))
  return { code, leave: () => asking.destroy() }
}

test('bodies that do not end hold so much memory and no more; other runs go on', async () => {
  const { port } = await serve()
  const sent = Array.from({ length: 8 }, () => halfSent(port, 'token-one', 2_900_000))

  expect(await Promise.race(sent.map(({ code }) => code))).toBe(429)
  expect((await ask({ port, path: '/version', token: 'token-two' })).code).toBe(200)
  for (const { leave } of sent) leave()
  while ((await ask({ port, path: secrets, method: 'POST', body: 'x'.repeat(1_000_000) })).code === 429)
    await systemClock.sleep(5)
})

test('the body of a call without a token is not waited for', async () => {
  const { port } = await serve()
  const head = `POST ${secrets} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nobody\r\nTransfer-Encoding: chunked\r\n\r\n`

  expect(await raw(port, `${head}1\r\nx\r\n`)).toMatch(/^HTTP\/1.1 401 /)
})

/** What is answered on a connection until the server closes it. */
async function raw(port: number, text: string): Promise<string> {
  const { authority: ca } = files.identity()
  const socket = connect({ host: '127.0.0.1', port, servername: 'kubernetes.default', ca })
  socket.write(text)
  const pieces: Buffer[] = []
  for await (const piece of socket as AsyncIterable<Buffer>) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

test('who asks without end is told to wait', async () => {
  const { port } = await serve()
  const codes = new Set<number>()
  for (let i = 0; i < 10_000 && !codes.has(429); i += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask({ port, path: '/version' })))
    for (const { code } of answers) codes.add(code)
  }

  expect([...codes].sort()).toEqual([200, 429])
  expect((await ask({ port, path: '/version', token: 'token-two' })).code).toBe(200)
})

test('a file of the folder that another program left is no session', () => {
  writeFileSync(join(folder, 'sessions', 'note.txt'), 'x')

  expect([...files.runs()].sort()).toEqual(['one', 'two'])
})
