/** chandler login and context: remembered brokers. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { makeClient } from '../../client/client.ts'
import { present } from '../../kit/present.ts'
import { Secret } from '../../kit/secret.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { caFileHelp, readPassword } from '../connection.ts'
import { type Context, noContext, readContexts, writeContexts } from '../contexts.ts'
import { type Form, printDeed, printList, withOutput } from '../output.ts'
import { untilReady, withReadiness } from '../readiness.ts'
import { askSecret, isTerminal } from '../terminal.ts'
import { trust } from '../trust.ts'

interface LoginOptions {
  readonly user?: string
  readonly passwordFile?: string
  readonly tokenFile?: string
  readonly provider?: boolean
  readonly name?: string
  readonly caFile?: string
  readonly waitReady?: true
  readonly output: Form
}

export function register(program: Command): void {
  const login = add(program, {
    usage: 'login <url>',
    summary: 'Remember a broker and an account',
    description:
      'Tries an account at a broker and remembers it in a private file. The password comes from --password-file, CHANDLER_PASSWORD, or is asked for. With --provider a person logs in at the identity provider of the broker, in any browser.',
    examples: [
      'login http://127.0.0.1:8080 --user admin',
      'login https://broker.example --user admin --password-file ~/.broker-password --name production',
      'login https://broker.example --provider',
      'login http://127.0.0.1:8080 --user admin --password-file secrets/admin --wait-ready',
    ],
  })
    .option('--user <name>', 'account (CHANDLER_USER)')
    .option('--password-file <path>', 'file that holds the password')
    .option('--token-file <path>', 'file that holds an API token, instead of an account')
    .option('--provider', 'log in at the identity provider of the broker, with a code')
    .option('--ca-file <path>', caFileHelp)
    .option('--name <name>', 'what to call this broker; its host when absent')
  withOutput(withReadiness(login)).action(async (url: string, options: LoginOptions) => {
    const { hostname } = URL.parse(url) ?? fail('usage.invalid', `${url} is not a URL`)
    const given = options.caFile ?? process.env['CHANDLER_CA_FILE']
    const caFile = given === undefined ? undefined : resolve(given)
    await (options.waitReady ? untilReady(url, caFile) : trust(url, caFile))
    const kept = await keptOf(url, options)
    const credentials =
      'token' in kept
        ? { token: new Secret(kept.token) }
        : { user: kept.user, password: new Secret(kept.password) }
    const about = await makeClient({ url, credentials }).about()
    const user = about.user.name
    const { contexts } = await readContexts()
    const name = options.name ?? hostname
    const others = contexts.filter((one) => one.name !== name)
    writeContexts({
      current: name,
      contexts: [...others, present({ name, server: url, user, ...kept, caFile })],
    })
    await printDeed(options.output, {
      kind: 'Login',
      value: { name, server: url, user, role: about.user.role },
      name,
      sentences: [`Logged in to ${url} as ${user} (${about.user.role}). Remembered as ${name}.`],
    })
  })

  contexts(program)
}

function contexts(program: Command): void {
  const group = add(program, {
    usage: 'context',
    summary: 'List and choose remembered brokers',
    examples: ['context list', 'context use production'],
  })
  const list = add(group, { usage: 'list', summary: 'List remembered brokers', examples: ['context list'] })
  withOutput(list).action(async ({ output }: { output: Form }) => {
    const { current, contexts } = await readContexts()
    await printList(output, {
      kind: 'ContextList',
      items: contexts.map(({ name, server, user }) => ({ name, server, user, current: name === current })),
      empty: 'No broker is remembered: chandler login URL',
      name: (one) => one.name,
      columns: [
        { title: 'NAME', of: (one) => (one.current ? `${one.name} *` : one.name) },
        { title: 'SERVER', of: (one) => one.server },
        { title: 'USER', of: (one) => one.user },
      ],
    })
  })
  const use = add(group, {
    usage: 'use <name>',
    summary: 'Choose a broker',
    examples: ['context use production'],
  })
  withOutput(use).action(async (name: string, { output }: { readonly output: Form }) => {
    const known = await readContexts()
    if (!known.contexts.some((one) => one.name === name)) noContext(name)
    writeContexts({ ...known, current: name })
    await told(output, name, { current: true }, `Commands go to ${name} from now on.`)
  })
  const remove = add(group, {
    usage: 'remove <name>',
    summary: 'Forget a broker and its password',
    examples: ['context remove production'],
  })
  withOutput(remove).action(async (name: string, { output }: { readonly output: Form }) => {
    const { current, contexts } = await readContexts()
    if (!contexts.some((one) => one.name === name)) noContext(name)
    writeContexts({
      current: current === name ? undefined : current,
      contexts: contexts.filter((one) => one.name !== name),
    })
    await told(output, name, { removed: true }, `Forgotten: ${name}`)
  })
}

function told(form: Form, name: string, value: object, sentence: string): Promise<void> {
  return printDeed(form, { kind: 'Context', value: { name, ...value }, name, sentences: [sentence] })
}

/** What is remembered of an account. */
async function keptOf(
  url: string,
  options: LoginOptions,
): Promise<
  | ({ readonly token: string } & Pick<Context, 'provider'>)
  | { readonly user: string; readonly password: string }
> {
  if (options.provider) {
    const { logInAtProvider } = await import('../provider-login.ts')
    return logInAtProvider(url)
  }
  if (options.tokenFile !== undefined) return { token: readPassword(options.tokenFile) }
  const user =
    options.user ??
    process.env['CHANDLER_USER'] ??
    fail('usage.invalid', '--user, --token-file or --provider is missing')
  return { user, password: await passwordFor(user, options) }
}

async function passwordFor(user: string, options: LoginOptions): Promise<string> {
  const { CHANDLER_PASSWORD: given, CHANDLER_PASSWORD_FILE: file } = process.env
  const path = options.passwordFile ?? file
  if (path !== undefined) return readPassword(path)
  if (given !== undefined) return given
  if (!isTerminal('stdin')) {
    return fail('usage.invalid', 'no password is given and nobody can be asked', {
      hint: 'Give --password-file, or set CHANDLER_PASSWORD.',
    })
  }
  return askSecret(`Password of ${user}: `)
}
