/** Starts real registry servers on loopback for tests: open, with passwords, with tokens, with TLS. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createPrivateKey, sign, X509Certificate } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { present } from '../../src/kit/present.ts'
import { ensurePrograms, findProgram } from './debian.ts'
import { freshFolder } from './image.ts'

export interface TestRegistry {
  /** `127.0.0.1:PORT`, or `localhost:PORT` for TLS. */
  readonly host: string
  /** The CA to trust, for TLS. */
  readonly ca?: string
  /** What must be shown, where it is asked for. */
  readonly client?: CertificatePair
  /** How often the token server was asked. */
  readonly tokensAsked: () => number
  stop(): Promise<void>
}

interface CertificatePair {
  readonly certificate: string
  readonly key: string
}

export interface RegistryKind {
  readonly auth?: 'password' | 'token'
  /** `mutual`: clients must show a certificate, too. */
  readonly tls?: boolean | 'mutual'
}

export const registryUser = 'skipper'
export const registryPassword = 'anchor:aweigh'

/** Why no registry can be started here, if so. */
export function registryMissing(): string | undefined {
  return ensurePrograms('docker-registry', 'htpasswd', 'openssl')
}

/** Starts a registry with an empty store; stop it when done. */
export async function startRegistry({ auth, tls }: RegistryKind = {}): Promise<TestRegistry> {
  const folder = freshFolder('registry')
  const port = await freePort()
  const tokens = auth === 'token' ? await startTokenServer(folder) : undefined
  if (tls) makeCertificate(folder, 'tls')
  const client = tls === 'mutual' ? makeCertificate(folder, 'client') : undefined
  const shown = tls === 'mutual' ? `, clientcas: [${folder}/client.crt]` : ''
  const lines = [
    'version: 0.1',
    'log: {level: error, accesslog: {disabled: true}}',
    `storage: {filesystem: {rootdirectory: ${join(folder, 'store')}}, delete: {enabled: true}}`,
    `http: {addr: "127.0.0.1:${port}", secret: x${tls ? `, tls: {certificate: ${folder}/tls.crt, key: ${folder}/tls.key${shown}}` : ''}}`,
  ]
  if (auth === 'password') {
    const line = execFileSync(findProgram('htpasswd') ?? 'htpasswd', ['-nbB', registryUser, registryPassword])
    writeFileSync(join(folder, 'htpasswd'), line)
    lines.push(`auth: {htpasswd: {realm: basic, path: ${folder}/htpasswd}}`)
  }
  if (tokens !== undefined) {
    lines.push(
      `auth: {token: {realm: "${tokens.url}", service: reg, issuer: tokens, rootcertbundle: ${folder}/token.crt}}`,
    )
  }
  writeFileSync(join(folder, 'config.yml'), lines.join('\n'))
  const server = spawn(
    findProgram('docker-registry') ?? 'docker-registry',
    ['serve', join(folder, 'config.yml')],
    {
      stdio: 'ignore',
    },
  )
  await listening(port, server)
  return {
    host: `${tls ? 'localhost' : '127.0.0.1'}:${port}`,
    ...(tls ? { ca: readFileSync(join(folder, 'tls.crt'), 'utf8') } : {}),
    ...present({ client }),
    tokensAsked: () => tokens?.asked() ?? 0,
    stop: async () => {
      const gone = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGKILL')
      await gone
      await tokens?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startTokenServer(
  folder: string,
): Promise<{ readonly url: string; readonly asked: () => number; stop(): Promise<void> }> {
  makeCertificate(folder, 'token')
  const key = createPrivateKey(readFileSync(join(folder, 'token.key')))
  const certificate = new X509Certificate(readFileSync(join(folder, 'token.crt'))).raw.toString('base64')
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    const url = new URL(request.url ?? '', 'http://token')
    const wanted = `Basic ${Buffer.from(`${registryUser}:${registryPassword}`).toString('base64')}`
    const known = request.headers.authorization === wanted
    if (request.headers.authorization !== undefined && !known) {
      response
        .writeHead(401)
        .end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: 'wrong password' }] }))
      return
    }
    const access = url.searchParams.getAll('scope').map((scope) => {
      const [type, name, actions = ''] = scope.split(':')
      // Without a login there is nothing but the public folder to read.
      const open = name?.startsWith('public/') ? ['pull'] : []
      const permitted = known ? actions.split(',') : open
      return { type, name, actions: permitted.filter((action) => actions.split(',').includes(action)) }
    })
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: 'tokens',
      sub: registryUser,
      aud: url.searchParams.get('service'),
      exp: now + 300,
      nbf: now - 10,
      iat: now,
      jti: String(asked),
      access,
    }
    const body = [{ typ: 'JWT', alg: 'RS256', x5c: [certificate] }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const token = `${body}.${sign('sha256', Buffer.from(body), key).toString('base64url')}`
    response.end(JSON.stringify({ token, expires_in: 300 }))
  })
  await listen(server)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    asked: () => asked,
    stop: () => closeServer(server),
  }
}

/** Starts an HTTP server on a free loopback port. */
export function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
}

/** Stops a server and the connections it has. */
export function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

/** Makes a certificate that vouches for itself, in files of this name, and answers their texts. */
export function makeCertificate(folder: string, name: string): CertificatePair {
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.crt`)]
  execFileSync('openssl', [...args, ...names, ...files], { stdio: 'ignore' })
  const [certificate = '', key = ''] = ['crt', 'key'].map((ending) =>
    readFileSync(join(folder, `${name}.${ending}`), 'utf8'),
  )
  return { certificate, key }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createTcpServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

/** Resolves when the port takes connections; asks again at each refusal while the program lives. */
function listening(port: number, server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const knock = (): void => {
      if (server.exitCode !== null) {
        reject(new Error(`the registry ended with ${server.exitCode}`))
        return
      }
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => {
        socket.destroy()
        resolve()
      })
      socket.once('error', () => {
        socket.destroy()
        setTimeout(knock, 20)
      })
    }
    knock()
  })
}
