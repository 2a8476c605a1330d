/** Which broker a command talks to, and as whom: flags, then the environment, then the remembered context. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { type Client, makeClient } from '../client/client.ts'
import { type Credentials, tokenCredentials } from '../client/credentials.ts'
import { Secret } from '../kit/secret.ts'
import { fail } from '../model/problem.ts'
import { type Context, noContext, readContexts } from './contexts.ts'
import { untilReady } from './readiness.ts'
import { say } from './terminal.ts'
import { trust } from './trust.ts'

export interface ConnectionOptions {
  readonly server?: string
  readonly user?: string
  readonly passwordFile?: string
  readonly tokenFile?: string
  readonly context?: string
  readonly caFile?: string
  readonly waitReady?: true
  readonly verbose?: boolean
}

/** Of every command that talks to a broker. */
export const caFileHelp =
  'authorities whose certificates are taken besides the usual ones, as PEM (CHANDLER_CA_FILE)'

/** Adds the options of commands that talk to a broker. */
export function withConnection(command: Command): Command {
  return command
    .option('--server <url>', 'address of the broker (CHANDLER_SERVER)')
    .option(
      '--user <name>',
      'account (CHANDLER_USER; password in CHANDLER_PASSWORD or CHANDLER_PASSWORD_FILE)',
    )
    .option('--password-file <path>', 'file that holds the password (CHANDLER_PASSWORD_FILE)')
    .option('--ca-file <path>', caFileHelp)
    .option(
      '--token-file <path>',
      'file that holds an API token, instead of an account (CHANDLER_TOKEN, CHANDLER_TOKEN_FILE)',
    )
    .option('--context <name>', 'remembered broker (CHANDLER_CONTEXT)')
}

/** The client of the chosen broker. Problems: cli.no-server, cli.config-invalid. */
export async function connect(command: Command, more: { readonly timeoutMs?: number } = {}): Promise<Client> {
  const options: ConnectionOptions = command.optsWithGlobals()
  const { env } = process
  const context = await contextOf(options.context ?? env['CHANDLER_CONTEXT'])
  const url = options.server ?? env['CHANDLER_SERVER'] ?? context?.server
  if (url === undefined) {
    return fail(
      'cli.no-server',
      'neither --server nor CHANDLER_SERVER nor a login says which broker is meant',
    )
  }
  // A password belongs to the server it was remembered for, and to no other.
  const kept = context?.server === url ? context : undefined
  const caFile = options.caFile ?? env['CHANDLER_CA_FILE'] ?? kept?.caFile
  await (options.waitReady ? untilReady(url, caFile) : trust(url, caFile))
  const remembered = kept?.provider === undefined ? kept : await fresh(kept)
  const credentials = credentialsOf(options, remembered, url)
  return makeClient({ ...more, url, credentials, ...(options.verbose ? { trace: say } : {}) })
}

/** Loaded for logins at a provider only: most commands start without. */
async function fresh(context: Context): Promise<Context> {
  const { withFreshToken } = await import('./provider-login.ts')
  return withFreshToken(context)
}

/** A token says all; without one it takes a user and a password. */
function credentialsOf(
  options: ConnectionOptions,
  remembered: Context | undefined,
  url: string,
): Credentials {
  const token = options.user === undefined ? tokenOf(options, remembered) : undefined
  if (token !== undefined) return tokenCredentials(token)
  const user = options.user ?? process.env['CHANDLER_USER'] ?? remembered?.user
  const password = passwordOf(options, remembered)
  if (user === undefined || password === undefined) {
    return fail('cli.no-server', `no ${user === undefined ? 'user' : 'password'} is given for ${url}`)
  }
  return { user, password: new Secret(password) }
}

/** The account of the environment goes before what is remembered. */
function tokenOf(options: ConnectionOptions, remembered: Context | undefined): string | undefined {
  const { CHANDLER_TOKEN: given, CHANDLER_TOKEN_FILE: file, CHANDLER_USER: user } = process.env
  if (options.tokenFile !== undefined) return readPassword(options.tokenFile)
  if (given !== undefined && given !== '') return given
  if (file !== undefined && file !== '') return readPassword(file)
  return user === undefined ? remembered?.token : undefined
}

async function contextOf(name: string | undefined): Promise<Context | undefined> {
  const { current, contexts } = await readContexts()
  if (name === undefined) return contexts.find((one) => one.name === current)
  return contexts.find((one) => one.name === name) ?? noContext(name)
}

function passwordOf(options: ConnectionOptions, remembered: Context | undefined): string | undefined {
  const { CHANDLER_PASSWORD: given, CHANDLER_PASSWORD_FILE: fileGiven } = process.env
  if (options.passwordFile !== undefined) return readPassword(options.passwordFile)
  if (given !== undefined && fileGiven !== undefined) {
    return fail('cli.config-invalid', 'both CHANDLER_PASSWORD and CHANDLER_PASSWORD_FILE are set')
  }
  if (fileGiven !== undefined) return readPassword(fileGiven)
  return given ?? remembered?.password
}

/** One final newline belongs to the file, not to the password. */
export function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
}
