/** chandler whoami, can-i, role and tenant: what an account may do. */
import type { Command } from 'commander'
import type { TenantDetail } from '../../api/access.ts'
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
  tenants(program)
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

function tenants(program: Command): void {
  const group = add(program, {
    usage: 'tenant',
    summary: 'Tenants: organisations, spaces, namespaces that instances belong to',
    examples: ['tenant list', 'tenant show acme'],
  })
  const list = add(group, {
    usage: 'list',
    summary: 'List tenants that have or had something',
    examples: ['tenant list', 'tenant list -o json'],
  })
  withOutput(withConnection(list)).action(async ({ output }: { output: Form }) => {
    await printList(output, {
      kind: 'TenantList',
      items: await (await connect(list)).tenants(),
      empty: 'Nothing was ordered yet.',
      name: ({ name }) => name,
      columns: [
        { title: 'TENANT', of: ({ name }) => name },
        { title: 'INSTANCES', of: ({ instances, quotas }) => ofQuota(instances, quotas.instances) },
        { title: 'BINDINGS', of: ({ bindings, quotas }) => ofQuota(bindings, quotas.bindings) },
      ],
    })
  })
  const show = add(group, {
    usage: 'show <name>',
    summary: 'Show what a tenant has of what it may have, and what it sees',
    examples: ['tenant show acme', 'tenant show acme -o json'],
  })
  withOutput(withConnection(show)).action(async (name: string, { output }: { output: Form }) => {
    const tenant = await (await connect(show)).tenant(name)
    const { instances, bindings, quotas, shared, services } = tenant
    await printOne(output, {
      kind: 'Tenant',
      value: tenant,
      name,
      fields: [
        ['Tenant', name],
        ['Instances', ofQuota(instances, quotas.instances)],
        ['Bindings', ofQuota(bindings, quotas.bindings)],
        ...shared.map((one) => [`Shared by ${one.name}`, sharedBy(one)] as const),
        ['Sees', services.map((one) => `${one.name} (${one.plans.join(', ')})`).join(', ') || 'nothing'],
      ],
    })
  })
}

function ofQuota(used: number, most: number | undefined): string {
  return most === undefined ? String(used) : `${used}/${most}`
}

function sharedBy({ instances, bindings }: TenantDetail['shared'][number]): string {
  return [
    ...(instances ? [`${ofQuota(instances.used, instances.most)} instances`] : []),
    ...(bindings ? [`${ofQuota(bindings.used, bindings.most)} bindings`] : []),
  ].join(', ')
}
