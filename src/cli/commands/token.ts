/** chandler token: API tokens, for programs. */
import type { Command } from 'commander'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { ago, type Form, printDeed, printDocument, printList, withOutput } from '../output.ts'
import { print, say } from '../terminal.ts'
import { collected, grantsOf, rolesIn } from './user.ts'

interface Making {
  readonly role?: readonly string[]
  readonly tenant?: readonly string[]
  readonly days?: string
  readonly for?: string
  readonly output: Form
}

export function register(program: Command): void {
  const group = add(program, {
    usage: 'token',
    summary: 'API tokens: create, list, revoke',
    description:
      'Tokens for programs, instead of a password. A token is shown once, ends by itself, and may never do more than its account may at that moment. Give it as CHANDLER_TOKEN, CHANDLER_TOKEN_FILE or --token-file, or as `Authorization: Bearer …`.',
    examples: ['token create ci --role developer --tenant acme --days 30', 'token list'],
  })
  const create = add(group, {
    usage: 'create <name>',
    summary: 'Make a token and print it, this once',
    examples: [
      'token create ci',
      'token create ci --role viewer --days 7 -o json',
      'token create next --for cf',
    ],
  })
    .option('--role <name>', 'bound it to a role; may be given several times', collected)
    .option('--tenant <name>', 'bound the roles to a tenant', collected)
    .option('--for <account>', 'make it for another account: a platform, say')
    .option('--days <number>', 'how long it lasts, at most 366', '90')
  withOutput(withConnection(create)).action(async (name: string, options: Making) => {
    const client = await connect(create)
    const made = await client.makeToken({
      ...{ name, grants: grantsOf(options), days: Number(options.days) },
      ...(options.for === undefined ? {} : { account: options.for }),
    })
    if (options.output === 'json' || options.output === 'yaml')
      return printDocument(options.output, 'Token', made)
    print(options.output === 'name' ? made.id : made.token)
    if (options.output === 'table') say(`It ends on ${made.expiresAt} and is not shown again.`)
  })
  const list = add(group, {
    usage: 'list',
    summary: 'List tokens, without their texts',
    examples: ['token list', 'token list --all'],
  }).option('--all', 'those of all accounts')
  withOutput(withConnection(list)).action(async ({ output, all }: { output: Form; all?: boolean }) => {
    await printList(output, {
      kind: 'TokenList',
      items: await (await connect(list)).tokens(all ?? false),
      empty: 'There are no tokens.',
      name: ({ id }) => id,
      columns: [
        { title: 'ID', of: ({ id }) => id },
        { title: 'NAME', of: ({ name }) => name },
        { title: 'ACCOUNT', of: ({ account }) => account },
        { title: 'ROLES', of: (one) => rolesIn(one) || 'all of its account' },
        { title: 'ENDS', of: ({ expiresAt }) => expiresAt.slice(0, 10) },
        { title: 'USED', of: ({ usedAt }) => (usedAt === undefined ? 'never' : ago(usedAt)) },
      ],
    })
  })
  const revoke = add(group, {
    usage: 'revoke <id>',
    summary: 'Take a token away, on every node at once',
    examples: ['token revoke 3f2a9c1e-0000-8000-8000-000000000000'],
  })
  withOutput(withConnection(revoke)).action(async (id: string, { output }: { output: Form }) => {
    await (await connect(revoke)).revokeToken(id)
    await printDeed(output, {
      kind: 'TokenChange',
      value: { id, revoked: true },
      name: id,
      sentences: [`Revoked: ${id}`],
    })
  })
}
