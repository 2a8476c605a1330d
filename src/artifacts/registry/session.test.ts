import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type FlakyServer, type Respond, startFlakyServer } from '../../../test/support/flaky-server.ts'
import { closeServer, listen } from '../../../test/support/registry.ts'
import { Secret } from '../../kit/secret.ts'
import { toProblem } from '../../model/problem.ts'
import { digestOf } from '../digest.ts'
import { ociIndex, ociManifest } from '../oci/media-types.ts'
import { listTags, registrySource } from './registry-source.ts'
import { registryTarget } from './registry-target.ts'
import { openSession, type Session } from './session.ts'
import type { RegistrySettings } from './settings.ts'

const { signal } = new AbortController()
const running: (FlakyServer | Session)[] = []
afterEach(async () => {
  for (const one of running.splice(0).toReversed()) await ('stop' in one ? one.stop() : one.close())
})

async function serve(respond: Respond): Promise<FlakyServer> {
  const server = await startFlakyServer(respond)
  running.push(server)
  return server
}

function session(host: string, settings: RegistrySettings = {}): Session {
  const opened = openSession(host, 'app', settings, {
    now: () => 0,
    monotonic: () => 0,
    sleep: async () => undefined,
  })
  running.push(opened)
  return opened
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'no problem',
    (error: unknown) => toProblem(error).code,
  )
}

const manifest = Buffer.from(
  JSON.stringify({
    schemaVersion: 2,
    mediaType: ociManifest,
    config: { mediaType: 'application/x', digest: digestOf('{}'), size: 2 },
    layers: [],
  }),
)
const login = { kind: 'password', user: 'u', password: new Secret('p') } as const
const basicChallenge = { 'www-authenticate': 'Basic realm="r"' }

function readManifest(host: string, settings?: RegistrySettings): Promise<unknown> {
  return registrySource({ host, repository: 'app' }, session(host, settings)).manifest({ name: 'v1' }, signal)
}

test.each([[429], [500], [502], [503]])('a request answered %i is repeated', async (status) => {
  const server = await serve((_, response, before) => {
    if (before < 2) response.writeHead(status, { 'retry-after': '1' }).end()
    else response.end(manifest)
  })

  expect(await readManifest(server.host)).toMatchObject({ digest: digestOf(manifest) })
  expect(server.asked).toHaveLength(4)
})

test('each call is told to what traces it, once however often it is sent, and takes its headers along', async () => {
  const contexts: unknown[] = []
  const server = await serve(({ headers }, response, before) => {
    contexts.push(headers['traceparent'])
    if (before === 0) response.writeHead(503).end()
    else response.end(manifest)
  })
  const told: string[] = []
  const traced: RegistrySettings['traced'] = async ({ method, host }, send) => {
    const answer = await send({ traceparent: `context ${told.length}` })
    told.push(`${method} ${host === server.host} ${answer.status}`)
    return answer
  }

  await readManifest(server.host, { traced })

  // The first asks which scheme the host speaks.
  expect(told.slice(-2)).toEqual(['GET true 200', 'GET true 200'])
  expect(new Set(contexts)).toEqual(new Set([`context ${told.length - 1}`]))
})

test.each([
  [429, 'registry.failed'],
  [503, 'registry.failed'],
  [403, 'registry.denied'],
  [401, 'registry.unauthorized'],
  [400, 'registry.refused'],
])('a registry that only answers %i gives %s', async (status, code) => {
  const server = await serve((_, response) =>
    response.writeHead(status).end('{"errors":[{"code":"C","message":"m"}]}'),
  )

  expect(await codeOf(readManifest(server.host))).toBe(code)
})

test.each([
  ['seconds', '120'],
  ['a date', new Date(Date.now() + 86_400_000).toUTCString()],
])('a registry that asks for minutes of rest, in %s, is told and not asked again', async (_, pause) => {
  const server = await serve((_request, response) => response.writeHead(429, { 'retry-after': pause }).end())

  expect(await readManifest(server.host).catch(toProblem)).toMatchObject({
    code: 'registry.failed',
    detail: expect.stringMatching(/^429: it asks for \d+ s without requests$/),
  })
  expect(server.asked.filter((line) => !line.endsWith('/v2/'))).toHaveLength(1)
})

test.each([
  ['Negotiate', 'it does not ask for them in a way that is known here, so none were sent'],
  ['Basic realm="r"', 'the credentials were refused'],
])('a registry that refuses with the challenge %s: %s', async (challenge, detail) => {
  const server = await serve((_, response) =>
    response.writeHead(401, { 'www-authenticate': challenge }).end(),
  )
  const failed = await readManifest(server.host, { hosts: { [server.host]: { login } } }).catch(toProblem)

  expect(failed).toMatchObject({ code: 'registry.unauthorized', detail })
})

test('what a registry says is shown short and without control characters', async () => {
  const server = await serve((_, response) =>
    response
      .writeHead(400)
      .end(JSON.stringify({ errors: [{ code: 'BAD', message: `\u001b[31m${'x'.repeat(500)}` }] })),
  )

  const problem = await readManifest(server.host).catch(toProblem)

  expect(problem).toMatchObject({
    code: 'registry.refused',
    detail: expect.stringMatching(/^400: BAD \ufffd\[31mx+…$/),
  })
})

test('credentials go to the registry and not to the store it sends us to', async () => {
  const blob = Buffer.from('blob')
  const elsewhere = await serve((_, response) => response.end(blob))
  const server = await serve((request, response) => {
    if (request.headers.authorization === undefined) response.writeHead(401, basicChallenge).end()
    else response.writeHead(307, { location: `http://${elsewhere.host}/blob?signed` }).end()
  })
  const source = registrySource(
    { host: server.host, repository: 'app' },
    session(server.host, { hosts: { [server.host]: { login } } }),
  )
  const wanted = { mediaType: 'x', digest: digestOf(blob), size: blob.length }

  const pieces: Uint8Array[] = []
  for await (const piece of (await source.blob(wanted, 0, signal)).bytes) pieces.push(piece)

  expect(Buffer.concat(pieces).toString()).toBe('blob')
  expect(server.secrets.at(-1)).toBe(`Basic ${Buffer.from('u:p').toString('base64')}`)
  expect(elsewhere.secrets).toEqual([undefined])
})

test('redirects in a circle end', async () => {
  const server = await serve((request, response) =>
    response.writeHead(307, { location: request.url ?? '' }).end(),
  )

  expect(await codeOf(readManifest(server.host))).toBe('registry.answer-invalid')
})

test('a manifest that is not what its header says is refused', async () => {
  const server = await serve((_, response) =>
    response.writeHead(200, { 'docker-content-digest': digestOf('other') }).end(manifest),
  )

  expect(await codeOf(readManifest(server.host))).toBe('artifact.altered')
})

test.each<[string, Buffer, string]>([
  ['a manifest of 5 MB', Buffer.alloc(5_000_000, ' '), 'registry.answer-invalid'],
  ['a page of a portal', Buffer.from('<html>log in</html>'), 'image.manifest-invalid'],
])('%s is refused', async (_, body, code) => {
  const server = await serve((_request, response) => response.end(body))

  expect(await codeOf(readManifest(server.host))).toBe(code)
})

test('plain HTTP is spoken with loopback, and with others only when allowed', async () => {
  const server = await serve((_, response) => response.end(manifest))
  // This machine, by a name that is not known to be loopback.
  const host = server.host.replace('127.0.0.1', '[::ffff:127.0.0.1]')

  expect(await codeOf(readManifest(host))).toBe('registry.insecure')
  expect(await codeOf(readManifest(host, { hosts: { [host]: { plainHttp: true } } }))).toBe('no problem')
  expect(await codeOf(readManifest(server.host))).toBe('no problem')
})

test.each([
  ['http://[::ffff:127.0.0.1]:1/token', 'registry.insecure'],
  ['ftp://token.example/', 'registry.answer-invalid'],
  ['nonsense', 'registry.answer-invalid'],
])('no credentials go to the token server %s', async (realm, code) => {
  const server = await serve((_, response) =>
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="s"` }).end(),
  )

  expect(await codeOf(readManifest(server.host, { hosts: { [server.host]: { login } } }))).toBe(code)
})

/** A registry that is its own token server. */
function tokenRegistry(token: (url: URL, body: string) => string): Respond {
  return (request, response) => {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`)
    if (url.pathname === '/token') {
      const pieces: Buffer[] = []
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => response.end(token(url, Buffer.concat(pieces).toString())))
    } else if (request.headers.authorization?.startsWith('Bearer ')) {
      response.end(manifest)
    } else {
      const challenge = `Bearer realm="http://${request.headers.host}/token",service="reg",scope="x"`
      response.writeHead(401, { 'www-authenticate': challenge }).end()
    }
  }
}

test('a token is asked for once and used again', async () => {
  const asked: string[] = []
  const server = await serve(
    tokenRegistry((url) => {
      asked.push(url.search)
      return '{"access_token":"abc"}'
    }),
  )
  const source = registrySource(
    { host: server.host, repository: 'app' },
    session(server.host, { hosts: { [server.host]: { login } } }),
  )

  await source.manifest({ name: 'v1' }, signal)
  await source.manifest({ name: 'v2' }, signal)

  expect(asked).toEqual(['?service=reg&scope=repository%3Aapp%3Apull&account=u'])
  expect(server.secrets.at(-1)).toBe('Bearer abc')
})

test('an identity token is exchanged by its own grant', async () => {
  let form = ''
  const server = await serve(
    tokenRegistry((_, body) => {
      form = body
      return '{"token":"abc"}'
    }),
  )
  const token = { kind: 'refresh-token', token: new Secret('refresh') } as const

  expect(await codeOf(readManifest(server.host, { hosts: { [server.host]: { login: token } } }))).toBe(
    'no problem',
  )
  expect(Object.fromEntries(new URLSearchParams(form))).toMatchObject({
    grant_type: 'refresh_token',
    refresh_token: 'refresh',
    service: 'reg',
    scope: 'repository:app:pull',
  })
})

test.each([['{}'], ['[]'], ['no json'], ['{"token":"bad\\ntoken"}']])(
  'the token answer %s is refused',
  async (answer) => {
    const server = await serve(tokenRegistry(() => answer))

    expect(await codeOf(readManifest(server.host))).toBe('registry.answer-invalid')
  },
)

test('tags come page by page', async () => {
  const server = await serve((request, response) => {
    const last = new URL(request.url ?? '', 'http://x').searchParams.get('last')
    if (last === null)
      response
        .writeHead(200, { link: '</v2/app/tags/list?n=2&last=b>; rel="next"' })
        .end('{"tags":["a","b"]}')
    else response.end('{"tags":["c"]}')
  })

  expect(await listTags({ host: server.host, repository: 'app' }, session(server.host), signal)).toEqual([
    'a',
    'b',
    'c',
  ])
})

test('referrers are asked of the registry where it knows them', async () => {
  const entry = { mediaType: ociManifest, digest: digestOf('x'), size: 1, artifactType: 'application/sig' }
  const server = await serve((request, response) => {
    if (request.url?.includes('/referrers/'))
      response.end(JSON.stringify({ mediaType: ociIndex, manifests: [entry] }))
    else response.writeHead(404).end()
  })
  const source = registrySource({ host: server.host, repository: 'app' }, session(server.host))

  expect(await source.referrers(digestOf('subject'), signal)).toEqual([entry])
})

test('a request that is stopped says so', async () => {
  const server = await serve(() => undefined)
  const stop = new AbortController()
  const reading = codeOf(
    registrySource({ host: server.host, repository: 'app' }, session(server.host)).manifest(
      { name: 'v1' },
      stop.signal,
    ),
  )

  stop.abort()

  expect(await reading).toBe('artifact.stopped')
})

test('an upload that breaks off is begun anew, with its bytes from the start', async () => {
  const blob = Buffer.alloc(300_000, 'x')
  const received: number[] = []
  let begun = 0
  const server = await serve((request, response) => {
    if (request.method === 'POST') {
      begun++
      response.writeHead(202, { location: `/upload/${begun}?state=a%2Fb` }).end()
    } else if (begun === 1) request.socket.destroy()
    else {
      let bytes = 0
      request.on('data', (piece: Buffer) => (bytes += piece.length))
      request.on('end', () => {
        received.push(bytes)
        response.writeHead(201).end()
      })
    }
  })
  const target = registryTarget({ host: server.host, repository: 'app' }, session(server.host))
  const content = { open: () => pieces(blob) }

  await target.writeBlob({ mediaType: 'x', digest: digestOf(blob), size: blob.length }, content, signal)

  expect(received).toEqual([blob.length])
  expect(server.asked.at(-1)).toBe(`PUT /upload/2?state=a%2Fb&digest=${encodeURIComponent(digestOf(blob))}`)
})

test('a proxy is asked for hosts that are not loopback, unless they are exempt', async () => {
  const tunnels: string[] = []
  const proxy = createServer()
  proxy.on('connect', (request, socket) => {
    tunnels.push(request.url ?? '')
    const [, port] = /:(\d+)$/.exec(request.url ?? '') ?? []
    const onward = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    for (const end of [socket, onward]) end.on('error', () => undefined)
  })
  await listen(proxy)
  const through = { http: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }
  const server = await serve((_, response) => response.end(manifest))
  const host = server.host.replace('127.0.0.1', '[::ffff:127.0.0.1]')
  const hosts = { [host]: { plainHttp: true } }

  const loopback = await codeOf(readManifest(server.host, { proxy: through }))
  const before = tunnels.length
  const beyond = await codeOf(readManifest(host, { hosts, proxy: through }))
  const opened = tunnels.length
  await codeOf(readManifest(host, { hosts, proxy: { ...through, no: '*' } }))
  await closeServer(proxy)

  expect([loopback, beyond]).toEqual(['no problem', 'no problem'])
  expect([before, opened > 0, tunnels.length - opened]).toEqual([0, true, 0])
})

async function* pieces(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
