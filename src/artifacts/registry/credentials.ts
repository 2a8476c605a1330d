/** Finds the login for a registry in the files and helpers of Docker and podman. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { Secret } from '../../kit/secret.ts'
import {
  consumersOf,
  findConsumer,
  type OcmConfig,
  readConfig,
  withDockerFiles,
} from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { readBounded } from '../content/durable.ts'
import { documentBytesMax } from '../limits.ts'
import { refuse } from '../ocm/faults.ts'
import type { Login, RegistrySettings } from './settings.ts'

/** The key under which Docker keeps the login of its own registry. */
const dockerKey = 'https://index.docker.io/v1/'
const helperMs = 30_000
const helperBytesMax = 1024 * 1024

/** The login for a repository, if anything knows one. Problems: registry.credentials-invalid. */
export async function findLogin(
  host: string,
  repository: string,
  settings: RegistrySettings,
): Promise<Login | undefined> {
  const own = settings.loginFor?.(host, repository) ?? settings.hosts?.[host]?.login
  if (own !== undefined) return own
  for (const path of settings.credentialFiles ?? []) {
    const bytes = await readBounded(path, documentBytesMax)
    const found = bytes === undefined ? undefined : await loginFrom(bytes, path, { host, repository })
    if (found !== undefined) return found
  }
  return undefined
}

interface Wanted {
  readonly host: string
  readonly repository: string
}

async function loginFrom(bytes: Uint8Array, path: string, wanted: Wanted): Promise<Login | undefined> {
  if (path.endsWith('ocmconfig')) return await loginOfOcm(bytes, path, wanted)
  const document = parse(bytes, path)
  const server = wanted.host === 'docker.io' ? dockerKey : wanted.host
  const helpers = document['credHelpers']
  const helper = isObject(helpers) ? (helpers[wanted.host] ?? helpers[server]) : undefined
  if (typeof helper === 'string') return await askHelper(helper, server, path)
  const auths = document['auths']
  const entry = isObject(auths) ? findEntry(auths, wanted) : undefined
  const login = entry === undefined ? undefined : readEntry(entry, path)
  if (login !== undefined) return login
  const store = document['credsStore']
  return typeof store === 'string' && store !== '' ? await askHelper(store, server, path) : undefined
}

function parse(bytes: Uint8Array, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (isObject(value)) return value
  } catch (cause) {
    return fail('registry.credentials-invalid', 'it is not JSON', { where: { source: path }, cause })
  }
  return fail('registry.credentials-invalid', 'it is not a JSON object', { where: { source: path } })
}

/** podman keeps logins per repository, too: the longest prefix counts. Docker's keys may be URLs. */
function findEntry(
  auths: Readonly<Record<string, unknown>>,
  { host, repository }: Wanted,
): Readonly<Record<string, unknown>> | undefined {
  const names = new Map(Object.entries(auths).map(([key, entry]) => [plainKey(key), entry]))
  const parts = repository.split('/')
  for (let count = parts.length; count >= 0; count--) {
    const entry = names.get([host, ...parts.slice(0, count)].join('/'))
    if (isObject(entry) && Object.keys(entry).length > 0) return entry
  }
  return undefined
}

function plainKey(key: string): string {
  const plain = key.replace(/^https?:\/\//, '').replace(/\/(v[12]\/?)?$/, '')
  return plain === 'index.docker.io' || plain === 'registry-1.docker.io' ? 'docker.io' : plain
}

function readEntry(entry: Readonly<Record<string, unknown>>, path: string): Login | undefined {
  const { auth, identitytoken, username, password } = entry
  if (typeof identitytoken === 'string' && identitytoken !== '') {
    return { kind: 'refresh-token', token: new Secret(identitytoken) }
  }
  if (typeof auth === 'string' && auth !== '') {
    const text = Buffer.from(auth, 'base64').toString('utf8').replace(/\0+$/, '')
    const colon = text.indexOf(':')
    if (colon <= 0)
      fail('registry.credentials-invalid', 'an entry is not USER:PASSWORD', { where: { source: path } })
    return { kind: 'password', user: text.slice(0, colon), password: new Secret(text.slice(colon + 1)) }
  }
  if (typeof username === 'string' && typeof password === 'string' && username !== '') {
    return { kind: 'password', user: username, password: new Secret(password) }
  }
  return undefined
}

/** Consumers of the Open Component Model name a registry by its host, its port and a path; then come the files of Docker that they name. */
async function loginOfOcm(bytes: Uint8Array, path: string, wanted: Wanted): Promise<Login | undefined> {
  const named: { readonly path: string; readonly text: string }[] = []
  const text = withDockerFiles(new TextDecoder().decode(bytes), (file) => {
    const whole = resolve(dirname(path), file.replace(/^~(?=\/)/, homedir()))
    const content = readIfThere(whole)
    if (content !== undefined) named.push({ path: whole, text: content })
    return content
  })
  const own = loginOfConsumers(readOcmConfig(text, path), wanted)
  if (own !== undefined) return own
  // Their helpers are asked as Docker asks them.
  for (const file of named) {
    const found = await loginFrom(Buffer.from(file.text), file.path, wanted)
    if (found !== undefined) return found
  }
  return undefined
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Docker writes its file at the first login.
    return undefined
  }
}

function loginOfConsumers(config: OcmConfig, { host, repository }: Wanted): Login | undefined {
  const [, hostname = host, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? []
  const request = {
    type: 'OCIRegistry',
    hostname,
    pathprefix: repository,
    ...present({ port }),
  }
  const { username, password, identityToken } =
    findConsumer(consumersOf(config), request, 'hostpath')?.credentials ?? {}
  if (identityToken !== undefined) return { kind: 'refresh-token', token: new Secret(identityToken) }
  if (username === undefined || password === undefined) return undefined
  return { kind: 'password', user: username, password: new Secret(password) }
}

function readOcmConfig(text: string, path: string): OcmConfig {
  const reading = readConfig(text)
  if (reading.kind === 'read') return reading.value
  return refuse(reading.faults, 'ocm.config.invalid', path)
}

/** Docker's protocol: the server's name on standard input, JSON on standard output. */
async function askHelper(name: string, server: string, path: string): Promise<Login | undefined> {
  const where = { source: path }
  if (!/^[\w.-]+$/.test(name))
    return fail('registry.credentials-invalid', 'the helper has an odd name', { where })
  const program = `docker-credential-${name}`
  const { status, output } = await runHelper(program, server)
  if (status === undefined)
    return fail('registry.credentials-invalid', `${program} cannot be started`, { where })
  if (status !== 0) {
    if (/not found/i.test(output)) return undefined
    return fail('registry.credentials-invalid', `${program} failed with exit code ${status}`, { where })
  }
  const answer = parse(Buffer.from(output), program)
  const { Username: user, Secret: secret } = answer
  if (typeof user !== 'string' || typeof secret !== 'string') {
    return fail('registry.credentials-invalid', `${program} answered no Username and Secret`, { where })
  }
  if (user === '' && secret === '') return undefined
  if (user === '<token>') return { kind: 'refresh-token', token: new Secret(secret) }
  return { kind: 'password', user, password: new Secret(secret) }
}

function runHelper(
  program: string,
  input: string,
): Promise<{ readonly status: number | undefined; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, ['get'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: helperMs,
      killSignal: 'SIGKILL',
    })
    const pieces: Buffer[] = []
    let bytes = 0
    child.once('error', () => resolve({ status: undefined, output: '' }))
    child.stdin.on('error', () => undefined)
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes > helperBytesMax) child.kill('SIGKILL')
      else pieces.push(piece)
    })
    child.once('close', (code) => resolve({ status: code ?? 1, output: Buffer.concat(pieces).toString() }))
    child.stdin.end(`${input}\n`)
  })
}
