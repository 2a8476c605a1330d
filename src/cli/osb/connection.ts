/** Which foreign broker is meant, and as whom: flags, the address itself, then the environment. */
import type { Command } from 'commander'
import { type BrokerConnection, connectToBroker } from '../../client/broker-connection.ts'
import { type Credentials, tokenCredentials } from '../../client/credentials.ts'
import { makeOsbClient, type OsbClient } from '../../client/osb.ts'
import { systemClock } from '../../kit/clock.ts'
import { present } from '../../kit/present.ts'
import { Secret } from '../../kit/secret.ts'
import { fail } from '../../model/problem.ts'
import { readPassword } from '../connection.ts'

export interface BrokerOptions {
  readonly url?: string
  readonly user?: string
  readonly password?: string
  readonly passwordFile?: string
  readonly tokenFile?: string
  readonly caFile?: string
  readonly certFile?: string
  readonly keyFile?: string
  readonly apiVersion: string
}

/** Adds the options that name a broker; a version that is not given is the default one. */
export function withBroker(command: Command, version = '2.17'): Command {
  return command
    .option('--url <url>', 'address of the broker, without /v2 (CHANDLER_SERVER)')
    .option('--user <name>', 'account (CHANDLER_USER)')
    .option(
      '--password <text>',
      'its password; others can see it, prefer CHANDLER_PASSWORD or --password-file',
    )
    .option('--password-file <path>', 'file that holds the password (CHANDLER_PASSWORD_FILE)')
    .option('--token-file <path>', 'file that holds a bearer token, instead of an account')
    .option('--ca-file <path>', 'authorities that its certificate is checked against (PEM)')
    .option('--cert-file <path>', 'certificate to show (PEM)')
    .option('--key-file <path>', 'its key (PEM)')
    .option('--api-version <version>', 'X-Broker-API-Version to send', version)
}

/** A connection to the chosen broker; without an account when none is given. Problems: cli.no-server. */
export function openBroker(options: BrokerOptions): BrokerConnection {
  const { env } = process
  const given = options.url ?? env['CHANDLER_SERVER']
  if (given === undefined) {
    return fail('cli.no-server', 'neither --url nor CHANDLER_SERVER says which broker is meant')
  }
  const tls = present({
    ca: fileText(options.caFile),
    cert: fileText(options.certFile),
    key: options.keyFile === undefined ? undefined : new Secret(readPassword(options.keyFile)),
  })
  const credentials = credentialsOf(given, options)
  return connectToBroker({ url: given, tls, ...present({ credentials }) })
}

function fileText(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readPassword(file)
}

function credentialsOf(given: string, options: BrokerOptions): Credentials | undefined {
  const { env } = process
  if (options.tokenFile !== undefined) return tokenCredentials(readPassword(options.tokenFile))
  const inUrl = URL.canParse(given) ? new URL(given) : undefined
  const user = options.user ?? (inUrl?.username ? decodeURIComponent(inUrl.username) : env['CHANDLER_USER'])
  const password =
    passwordOf(options) ?? (inUrl?.password ? decodeURIComponent(inUrl.password) : fromEnvironment())
  if (user !== undefined && password === undefined) {
    return fail('cli.no-server', `no password is given for ${user}`)
  }
  return user === undefined || password === undefined ? undefined : { user, password: new Secret(password) }
}

/** Runs some work with a client and closes its connection. */
export async function withClient<T>(
  options: BrokerOptions,
  work: (client: OsbClient) => Promise<T>,
): Promise<T> {
  const connection = openBroker(options)
  try {
    return await work(makeOsbClient({ connection, clock: systemClock, apiVersion: options.apiVersion }))
  } finally {
    await connection.close()
  }
}

function passwordOf({ password, passwordFile }: BrokerOptions): string | undefined {
  return passwordFile === undefined ? password : readPassword(passwordFile)
}

function fromEnvironment(): string | undefined {
  const { CHANDLER_PASSWORD: given, CHANDLER_PASSWORD_FILE: file } = process.env
  return given ?? (file === undefined ? undefined : readPassword(file))
}
