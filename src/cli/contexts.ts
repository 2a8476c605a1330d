/** Remembered brokers: one private file with addresses, accounts and which of them is meant. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isObject, type Json } from '../kit/json.ts'
import { fail, failAll } from '../model/problem.ts'

export interface Context {
  readonly name: string
  readonly server: string
  readonly user: string
  /** Authorities that its certificate is checked against besides the usual ones. */
  readonly caFile?: string
  /** Absent: it has a token. */
  readonly password?: string
  readonly token?: string
  /** Where the token is from, when it is one of an identity provider, and what gets another one. */
  readonly provider?: { readonly issuer: string; readonly clientId: string; readonly refresh?: string }
}

export interface Contexts {
  readonly current: string | undefined
  readonly contexts: readonly Context[]
}

/** Where they are kept. */
export function contextsFile(env: NodeJS.ProcessEnv = process.env): string {
  const folder = env['XDG_CONFIG_HOME'] || join(homedir(), '.config')
  return join(folder, 'chandler', 'config.yaml')
}

/** All of them. Problems: cli.config-invalid. */
export async function readContexts(file = contextsFile()): Promise<Contexts> {
  if (!existsSync(file)) return { current: undefined, contexts: [] }
  const document = await parsed(file)
  const list: unknown = isObject(document) ? document['contexts'] : undefined
  if (!isObject(document) || !Array.isArray(list) || !list.every(isContext)) {
    return fail('cli.config-invalid', 'it has no list of contexts', { where: { source: file } })
  }
  const { current } = document
  return { current: typeof current === 'string' ? current : undefined, contexts: list }
}

/** Keeps them, readable for their owner only. */
export function writeContexts(contexts: Contexts, file = contextsFile()): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, `${JSON.stringify(contexts as unknown as Json, null, 2)}\n`, { mode: 0o600 })
  // A file that was there keeps its mode when it is written.
  chmodSync(file, 0o600)
}

/** What we write is JSON; what people write may be any YAML, whose reader is loaded for them only. */
async function parsed(file: string): Promise<unknown> {
  const text = readFileSync(file, 'utf8')
  try {
    return JSON.parse(text)
  } catch {
    const { readYaml, toldFault } = await import('../kit/yaml.ts')
    const { value, faults } = readYaml(text)
    const [fault] = faults
    if (fault) failAll([{ code: 'cli.config-invalid', ...toldFault(fault, file) }])
    return value
  }
}

function isContext(value: unknown): value is Context {
  return (
    isObject(value) &&
    ['name', 'server', 'user'].every((key) => typeof value[key] === 'string') &&
    ['password', 'token'].some((key) => typeof value[key] === 'string')
  )
}

/** Problems: cli.config-invalid. */
export function noContext(name: string): never {
  return fail('cli.config-invalid', `there is no context ${name}`, {
    where: { source: contextsFile() },
    hint: 'See which there are with chandler context list, or make it with chandler login.',
  })
}
