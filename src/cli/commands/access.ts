/** chandler whoami, can-i and role: what an account may do. */
import type { Command } from 'commander'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { type Form, printDocument, printList, printOne, withOutput } from '../output.ts'
import { print } from '../terminal.ts'

export function register(program: Command): void {
  const me = add(program, {
    usage: 'whoami',
    summary: 'Show which account asks, and what it may do in which tenants',
    examples: ['whoami', 'whoami -o json'],
  })
  withOutput(withConnection(me)).action(async ({ output }: { output: Form }) => {
    const who = await (await connect(me)).whoami()
    await printOne(output, {
      kind: 'Whoami',
      value: who,
      name: who.name,
      fields: [
        ['Account', who.name],
        ['Role', who.role],
        ...who.permissions.map(({ name, tenants }) => [name, tenants.join(', ')] as const),
      ],
    })
  })
  canI(program)
  const roles = add(program, {
    usage: 'role',
    summary: 'Roles, and what they may do',
    examples: ['role list'],
  })
  const listed = add(roles, {
    usage: 'list',
    summary: 'List roles with their permissions',
    examples: ['role list', 'role list -o json'],
  })
  withOutput(withConnection(listed)).action(async ({ output }: { output: Form }) => {
    await printList(output, {
      kind: 'RoleList',
      items: await (await connect(listed)).roles(),
      empty: 'There are no roles.',
      name: ({ name }) => name,
      columns: [
        { title: 'ROLE', of: ({ name, own }) => (own ? `${name} (own)` : name) },
        { title: 'MAY', of: ({ permissions }) => permissions.join(' ') },
      ],
    })
  })
}

function canI(program: Command): void {
  const command = add(program, {
    usage: 'can-i <permission>',
    summary: 'Say whether the account may do something',
    description:
      'Says whether the account holds a permission, anywhere or in one tenant. Ends with 0 when it does and with 6 when not.',
    examples: ['can-i create:instances', 'can-i create:instances --tenant acme'],
  }).option('--tenant <name>', 'in this tenant')
  withOutput(withConnection(command)).action(
    async (permission: string, { output, tenant }: { output: Form; tenant?: string }) => {
      const answer = await (await connect(command)).canI(permission, tenant)
      if (output === 'json' || output === 'yaml') await printDocument(output, 'CanI', answer)
      else if (answer.allowed) print('yes')
      if (!answer.allowed)
        fail('request.forbidden', `${permission}${tenant === undefined ? '' : ` in ${tenant}`}`)
    },
  )
}
