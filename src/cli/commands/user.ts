/** chandler user: accounts of the store. */

import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { Account } from '../../api/account.ts'
import type { Grant } from '../../model/access.ts'
import { everyTenant } from '../../model/access.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, readPassword, withConnection } from '../connection.ts'
import { mayGoOn } from '../consent.ts'
import { type Form, printDeed, printDocument, printList, withOutput } from '../output.ts'
import { askSecret, isTerminal, print, say } from '../terminal.ts'

interface Granting {
  readonly role?: readonly string[]
  readonly tenant?: readonly string[]
}

interface Choosing {
  readonly newPasswordFile?: string
  readonly generate?: boolean
}

export function register(program: Command): void {
  const group = add(program, {
    usage: 'user',
    summary: 'Accounts: add, list, change, remove',
    description:
      'Accounts that are kept in the store, beside those of the configuration. Of a password only a hash is kept.',
    examples: ['user add ada --role developer --tenant acme', 'user list'],
  })
  adding(group)
  listing(group)
  const password = add(group, {
    usage: 'password [name]',
    summary: 'Set the password of an account, or change your own',
    description:
      'With a name it sets the password of that account; without one it changes that of the account that asks. Sessions of the account end.',
    examples: [
      'user password',
      'user password ada --generate',
      'user password cf --generate --keep-former 24',
    ],
  })
    .option(
      '--keep-former <hours>',
      'with a name: the password of before stays valid so long beside the new one',
    )
    .option('--current-password-file <path>', 'of your own: the one until now, instead of asking')
  withOutput(choosing(withConnection(password))).action(
    async (
      name: string | undefined,
      options: Choosing & { currentPasswordFile?: string; keepFormer?: string; output: Form },
    ) => {
      const client = await connect(password)
      if (name === undefined) {
        const current = await secretFrom(options.currentPasswordFile, 'The password until now: ')
        await client.changeOwnPassword({ current, password: await chosen(options) })
      } else {
        const { keepFormer: hours } = options
        const keep = hours === undefined ? {} : { keepFormerHours: Number(hours) }
        await client.changeAccount(name, { password: await chosen(options), ...keep })
      }
      const sentence = `The password is set${name === undefined ? '' : ` of ${name}`}.`
      await told(options.output, name ?? 'own', { passwordSet: true }, sentence)
    },
  )
  granting(group)
  const logout = add(group, {
    usage: 'logout <name>',
    summary: 'End the sessions of an account, on every node',
    examples: ['user logout ada'],
  })
  withOutput(withConnection(logout)).action(async (name: string, { output }: { output: Form }) => {
    await (await connect(logout)).changeAccount(name, { endSessions: true })
    await told(output, name, { sessionsEnded: true }, `The sessions of ${name} are over.`)
  })
  const remove = add(group, {
    usage: 'remove <name>',
    summary: 'Take an account away, with its tokens and sessions',
    examples: ['user remove ada', 'user remove ada --yes'],
  }).option('-y, --yes', 'do not ask')
  withOutput(withConnection(remove)).action(
    async (name: string, options: { yes?: boolean; output: Form }) => {
      await mayGoOn(`Remove the account ${name} with its tokens and sessions?`, options)
      await (await connect(remove)).removeAccount(name)
      await told(options.output, name, { removed: true }, `Removed: ${name}`)
    },
  )
}

function told(form: Form, name: string, value: object, sentence: string): Promise<void> {
  return printDeed(form, { kind: 'AccountChange', value: { name, ...value }, name, sentences: [sentence] })
}

function adding(group: Command): void {
  const command = add(group, {
    usage: 'add <name>',
    summary: 'Make an account',
    description:
      'Makes an account with roles, in all tenants or in those that are named. Its password comes from --new-password-file, is made by --generate and shown once, or is asked for.',
    examples: [
      'user add ada --role developer --tenant acme --generate',
      'user add root --role operator --role admin --role auditor',
      'user add cf-2 --platform --role platform --new-password-file ./cf-2.password',
    ],
  })
    .option('--role <name>', 'a role; may be given several times', collected)
    .option('--tenant <name>', 'where the roles hold: a name, NAME/*, or * (the default)', collected)
    .option('--platform', 'it is the account of a platform')
  withOutput(choosing(withConnection(command))).action(
    async (name: string, options: Granting & Choosing & { platform?: boolean; output: Form }) => {
      const client = await connect(command)
      const kind = options.platform ? ('platform' as const) : ('user' as const)
      const password = await chosen(options)
      await show(options.output, await client.addAccount({ name, password, kind, grants: grantsOf(options) }))
    },
  )
}

function listing(group: Command): void {
  const command = add(group, {
    usage: 'list',
    summary: 'List accounts of the store',
    examples: ['user list'],
  })
  withOutput(withConnection(command)).action(async ({ output }: { output: Form }) => {
    await printList(output, {
      kind: 'AccountList',
      items: await (await connect(command)).accounts(),
      empty: 'The store has no accounts; those of the configuration are listed there.',
      name: ({ name }) => name,
      columns: [
        { title: 'NAME', of: ({ name }) => name },
        { title: 'KIND', of: ({ kind }) => kind },
        { title: 'ROLES', of: rolesIn },
      ],
    })
  })
}

function granting(group: Command): void {
  const command = add(group, {
    usage: 'grant <name>',
    summary: 'Set the roles of an account',
    description:
      'Sets the roles of an account, in all tenants or in those that are named; with --more they come to those it has. Its sessions end.',
    examples: ['user grant ada --role viewer', 'user grant ada --role developer --tenant web --more'],
  })
    .option('--role <name>', 'a role; may be given several times', collected)
    .option('--tenant <name>', 'where the roles hold: a name, NAME/*, or * (the default)', collected)
    .option('--more', 'besides those it has')
  withOutput(withConnection(command)).action(
    async (name: string, options: Granting & { more?: boolean; output: Form }) => {
      const client = await connect(command)
      const before = options.more ? (await client.accounts()).find((one) => one.name === name) : undefined
      const grants = [...(before?.grants ?? []), ...grantsOf(options)]
      await show(options.output, await client.changeAccount(name, { grants }))
    },
  )
}

/** The options that say what an account's password is to be. */
function choosing(command: Command): Command {
  return command
    .option('--new-password-file <path>', 'file that holds the new password')
    .option('--generate', 'make a password and print it this once')
}

export function collected(one: string, before: readonly string[] = []): readonly string[] {
  return [...before, one]
}

/** Each role in each of the tenants. */
export function grantsOf({ role = [], tenant = [] }: Granting): Grant[] {
  const tenants = tenant.length === 0 ? [everyTenant] : tenant
  return role.flatMap((one) => tenants.map((where) => ({ role: one, tenant: where })))
}

export function rolesIn({ grants }: { readonly grants: readonly Grant[] }): string {
  return grants.map(({ role, tenant }) => (tenant === everyTenant ? role : `${role} in ${tenant}`)).join(', ')
}

async function chosen({ newPasswordFile, generate }: Choosing): Promise<string> {
  if (!generate) return secretFrom(newPasswordFile, 'The new password: ')
  const made = randomBytes(18).toString('base64url')
  say(`Password: ${made}`)
  return made
}

async function secretFrom(file: string | undefined, question: string): Promise<string> {
  if (file !== undefined) return readPassword(file)
  if (isTerminal('stdin')) return askSecret(question)
  return fail('usage.invalid', 'no password is given and nobody can be asked', {
    hint: 'Give a file with --new-password-file, or --generate.',
  })
}

async function show(form: Form, account: Account): Promise<void> {
  if (form === 'json' || form === 'yaml') await printDocument(form, 'Account', account)
  else print(form === 'name' ? account.name : `${account.name}: ${rolesIn(account) || 'no roles'}`)
}
