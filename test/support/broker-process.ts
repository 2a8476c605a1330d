/** A broker as its own process, as an operator starts it: on a free port, in a folder of its own, gone with its test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { ask } from './ask.ts'

export interface BrokerProcess {
  readonly url: string
  /** Where it tells of its health and its figures; empty without such an address. */
  readonly adminUrl: string
  readonly pid: number
  /** Everything it has said so far, standard error included. */
  said(): string
  /** Ends it and answers its exit code; null after a signal that it could not answer. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
  /** Resolves with its exit code when it ends by itself. */
  readonly ended: Promise<number | null>
}

export interface BrokerPlace {
  readonly dataDir: string
  /** `sqlite` or a URL of PostgreSQL. */
  readonly store?: string
  readonly config?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly options?: readonly string[]
}

export const conformanceConfig = 'test/conformance/osb/chandler.yml'

/** The accounts of the conformance configuration. */
export const accounts = {
  platform: basic('conformance', 'conformance-of-osb'),
  neighbour: basic('neighbour', 'conformance-of-neighbours'),
  operator: basic('operator', 'conformance-of-operators'),
}

/** An offer of the conformance configuration: one that only pretends, in the background, as long as it is told to. */
export const slowOffer = {
  service_id: '27972921-2b8d-494d-ba32-f8c688ccafc9',
  plan_id: '1d843d93-86d2-41b8-86c1-4e0349a3e670',
}

/** What is ordered of an offer that only pretends. */
export function pretendedOrder(create: object, offer = slowOffer): object {
  return { ...offer, organization_guid: 'o', space_guid: 's', parameters: { sim: { create } } }
}

/** Orders such an instance; answers the operation. */
export async function orderPretended(
  broker: Pick<BrokerProcess, 'url'>,
  instance: string,
  create: object,
): Promise<string> {
  const answer = await ask(broker, `/v2/service_instances/${instance}?accepts_incomplete=true`, {
    as: accounts.platform,
    method: 'PUT',
    body: pretendedOrder(create),
  })
  const { operation } = (await answer.json()) as { readonly operation?: string }
  if (answer.status !== 202 || operation === undefined) throw new Error(`${instance}: ${answer.status}`)
  return operation
}

/** Starts a broker and waits until it says that it is ready. */
export async function startBrokerProcess(place: BrokerPlace): Promise<BrokerProcess> {
  const child = spawn(
    process.execPath,
    ['bin/chandler.mjs', 'serve', '--config', place.config ?? conformanceConfig, ...(place.options ?? [])],
    { stdio: ['ignore', 'pipe', 'pipe'], env: environmentOf(place) },
  )
  let text = ''
  const keep = (line: string): void => {
    text += `${line}\n`
    // A test that lets a broker talk for minutes wants its last words.
    if (text.length > 4_000_000) text = text.slice(-2_000_000)
  }
  createInterface({ input: child.stderr }).on('line', keep)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const addresses = await new Promise<Addresses>((resolve, reject) => {
    const late = setTimeout(() => giveUp('is not ready in time'), readyWithinMs)
    const giveUp = (why: string): void => {
      clearTimeout(late)
      child.kill('SIGKILL')
      reject(new Error(`the broker ${why}:\n${text}`))
    }
    child.once('exit', (code) => giveUp(`ended with ${code}`))
    createInterface({ input: child.stdout }).on('line', (line) => {
      keep(line)
      const found = addressesIn(line)
      if (found === undefined) return
      clearTimeout(late)
      resolve(found)
    })
  })
  return {
    ...addresses,
    pid: child.pid ?? 0,
    said: () => text,
    ended,
    end: (signal) => end(child, signal, ended),
  }
}

/** A slow host takes minutes for what takes a second elsewhere. */
const readyWithinMs = 300_000

/** A broker that has not drained by then is killed; its exit code is null. */
const drainMs = 120_000

function environmentOf(place: BrokerPlace): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env
  return {
    PATH,
    HOME,
    TMPDIR,
    CHANDLER_DATA_DIR: place.dataDir,
    CHANDLER_HTTP_LISTEN: '127.0.0.1:0',
    CHANDLER_LOGS_LEVEL: 'info',
    CHANDLER_STORE_URL: place.store ?? 'sqlite',
    CHANDLER_SECRETS_KEYRING: `${place.dataDir}/keys.json`,
    ...place.environment,
  }
}

type Addresses = Pick<BrokerProcess, 'url' | 'adminUrl'>

function addressesIn(line: string): Addresses | undefined {
  if (!line.startsWith('{')) return undefined
  const said = JSON.parse(line) as { readonly event?: string; readonly url?: string; readonly admin?: string }
  if (said.event !== 'broker.ready' || said.url === undefined) return undefined
  return { url: said.url, adminUrl: said.admin ?? '' }
}

async function end(
  child: ChildProcess,
  signal: 'SIGTERM' | 'SIGKILL',
  ended: Promise<number | null>,
): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal)
  const late = setTimeout(() => child.kill('SIGKILL'), drainMs)
  const code = await ended
  clearTimeout(late)
  return code
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
