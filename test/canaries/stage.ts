/** A broker as a process with a telltale package, and everything that was said, answered and shown while it led its lives. */
import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { stringify } from 'yaml'
import type { JsonObject } from '../../src/kit/json.ts'
import { type BrokerProcess, startBrokerProcess } from '../support/broker-process.ts'
import type { Told } from './packages.ts'
import { type Piece, readQuietly, watchProcesses } from './processes.ts'
import { type Canary, wordCanary } from './values.ts'

export type User = 'admin' | 'watcher' | 'platform'

/** The accounts, whose passwords and tokens are canaries, too. */
export interface Keys {
  readonly passwords: Readonly<Record<User, string>>
  readonly canaries: readonly Canary[]
  /** The `auth` and `registries` of the configuration. */
  readonly settings: object
}

export function makeKeys(set: string): Keys {
  const word = (name: string) => wordCanary(`${set} ${name}`)
  const passwords = {
    admin: word('password of admin'),
    watcher: word('password of watcher'),
    platform: word('password of platform'),
  }
  const previous = word('previous password')
  const token = word('token')
  const registry = word('password of a registry')
  const roles = { admin: 'operator', watcher: 'viewer', platform: 'platform' }
  const users = Object.entries(passwords).map(([name, { value }]) => ({
    name,
    password: value,
    role: roles[name as User],
  }))
  return {
    passwords: {
      admin: passwords.admin.value,
      watcher: passwords.watcher.value,
      platform: passwords.platform.value,
    },
    canaries: [...Object.values(passwords), previous, token, registry],
    settings: {
      auth: {
        users: [
          ...users,
          { name: 'robot', token: token.value, role: 'viewer' },
          { name: 'moved', password: `${set}-new`, previousPassword: previous.value, role: 'viewer' },
        ],
      },
      registries: { hosts: [{ host: 'registry.invalid', user: 'puller', password: registry.value }] },
    },
  }
}

interface Asking {
  readonly body?: JsonObject
  readonly isSecretPlace?: boolean
  readonly accept?: string
}

interface Opened {
  readonly broker: BrokerProcess
  readonly folder: string
  readonly dataDir: string
  /** Its configuration. */
  readonly file: string
  /** With which it was started. */
  readonly environment: Readonly<Record<string, string>>
  readonly keys: Keys
}

/** A broker with one service, watched from all sides. */
export class Stage {
  readonly broker: BrokerProcess
  readonly folder: string
  readonly dataDir: string
  readonly environment: Readonly<Record<string, string>>
  readonly file: string
  readonly answers: Piece[] = []
  readonly processes = new Map<string, Piece>()
  readonly #keys: Keys
  readonly #watching = new AbortController()
  readonly #seen: Promise<void>
  #ids: { readonly service_id: string; readonly plan_id: string } = { service_id: '', plan_id: '' }

  constructor({ broker, folder, dataDir, file, environment, keys }: Opened) {
    this.broker = broker
    this.folder = folder
    this.dataDir = dataDir
    this.file = file
    this.environment = environment
    this.#keys = keys
    this.#seen = watchProcesses(this.processes, this.#watching.signal)
  }

  async stop(): Promise<void> {
    this.#watching.abort()
    await this.#seen
    await this.broker.end('SIGTERM')
  }

  /** Asks and keeps what was answered, unless the answer is the one place where a secret belongs. */
  async ask(user: User, method: string, path: string, asking: Asking = {}) {
    const { body, isSecretPlace = false, accept = 'application/json' } = asking
    const answer = await fetch(`${this.broker.url}${path}`, {
      method,
      headers: {
        Authorization: `Basic ${Buffer.from(`${user}:${this.#keys.passwords[user]}`).toString('base64')}`,
        'X-Broker-API-Version': '2.17',
        'Content-Type': 'application/json',
        Accept: accept,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const isEndless =
      answer.headers.get('content-type')?.startsWith('text/event-stream') === true && accept !== eventStream
    const bytes = isEndless ? await firstEvents(answer) : Buffer.from(await answer.arrayBuffer())
    const headers = Buffer.from(`${JSON.stringify([...answer.headers])}\n`)
    const name = `${method} ${path} of ${user}`
    this.answers.push({ name, bytes: isSecretPlace ? headers : Buffer.concat([headers, bytes]) })
    return { status: answer.status, text: bytes.toString(), bytes }
  }

  /** A log as a viewer follows it, to its end. */
  async follow(operation: string): Promise<Piece> {
    const name = `the live log of ${operation}`
    const { text } = await this.ask('watcher', 'GET', `/api/v1/operations/${operation}/log`, {
      accept: eventStream,
      isSecretPlace: true,
    })
    return { name, bytes: Buffer.from(text) }
  }

  async document(user: User, path: string): Promise<JsonObject> {
    return JSON.parse((await this.ask(user, 'GET', path)).text) as JsonObject
  }

  /** Waits for the end of what was ordered of an instance or binding; answers how it ended. */
  async ended(path: string): Promise<string> {
    for (;;) {
      const { status, text } = await this.ask('platform', 'GET', `${path}/last_operation`)
      const { state = status === 410 ? 'gone' : `answered ${status}` } = JSON.parse(text) as {
        readonly state?: string
      }
      if (state !== 'in progress') return state
      await pause(100)
    }
  }

  /** Orders as the platform, and waits; answers how it ended. */
  async order(
    method: string,
    path: string,
    body: JsonObject | undefined,
    isSecretPlace = false,
  ): Promise<string> {
    if (this.#ids.service_id === '') await this.#find()
    const query = new URLSearchParams(method === 'DELETE' ? this.#ids : {})
    const { status, text } = await this.ask('platform', method, `${path}?accepts_incomplete=true&${query}`, {
      isSecretPlace,
      ...(body === undefined
        ? {}
        : { body: { ...this.#ids, organization_guid: 'o', space_guid: 's', ...body } }),
    })
    if (status === 202) return this.ended(path)
    return status < 300 ? 'succeeded' : `${status} ${text}`
  }

  async #find(): Promise<void> {
    const { services } = (await this.document('platform', '/v2/catalog')) as unknown as {
      readonly services: readonly {
        readonly id: string
        readonly plans: readonly { readonly id: string }[]
      }[]
    }
    const [service] = services
    if (service === undefined) throw new Error(`nothing is offered:\n${this.broker.said()}`)
    this.#ids = { service_id: service.id, plan_id: service.plans[0]?.id ?? '' }
  }
}

const eventStream = 'text/event-stream'

/** What a stream that has no end tells in its first second. */
async function firstEvents({ body }: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  const reader = body?.getReader()
  const late = pause(1000)
  for (let isOver = reader === undefined; !isOver; ) {
    const piece = await Promise.race([reader?.read(), late])
    if (piece?.value !== undefined) pieces.push(piece.value)
    isOver = piece?.value === undefined
  }
  await reader?.cancel()
  return Buffer.concat(pieces)
}

/** Starts it in a folder of its own; everything that it calls its own bears a name that can be searched for. */
export async function openStage(told: Told, folder: string, keys: Keys, control: string): Promise<Stage> {
  const dataDir = join(folder, `data-${control}`)
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary, { recursive: true })
  const service = { name: control, description: `The service ${control}.` }
  const config = {
    http: { listen: '127.0.0.1:0', adminListen: '127.0.0.1:0' },
    ...keys.settings,
    engine: 'embedded',
    audit: { file: join(dataDir, 'audit.jsonl') },
    shutdown: { drainDelay: '0s', drain: '5s' },
    catalog: [{ ...told.entry, service }],
  }
  // Two places may be empty; that they are looked at is seen by what the test puts there.
  for (const place of [temporary, folder]) writeFileSync(join(place, 'planted'), control, { mode: 0o644 })
  const file = join(folder, `${control}.yml`)
  writeFileSync(file, stringify(config), { mode: 0o600 })
  const environment = {
    TMPDIR: temporary,
    CHANDLER_DATA_DIR: dataDir,
    CHANDLER_LOGS_LEVEL: 'debug',
    PATH: `${join(folder, 'package/programs')}:${process.env['PATH'] ?? ''}`,
  }
  const broker = await startBrokerProcess({ dataDir, config: file, environment })
  return new Stage({ broker, folder, dataDir, file, environment, keys })
}

/** Every file below a folder; what is no file is left out. */
export function filesBelow(folder: string): readonly Piece[] {
  if (!existsSync(folder)) return []
  return namesBelow(folder).flatMap((name) => {
    const path = join(folder, name)
    const bytes = lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readQuietly(path) : undefined
    // The name of a file is seen, too.
    return [{ name: path, bytes: Buffer.concat([Buffer.from(`${name}\n`), bytes ?? Buffer.alloc(0)]) }]
  })
}

/** What comes and goes while it is listed is left out. */
function namesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory()
        ? namesBelow(join(folder, entry.name)).map((name) => join(entry.name, name))
        : [entry.name],
    )
  } catch {
    return []
  }
}
