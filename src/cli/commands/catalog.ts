/** chandler catalog: what can be ordered. */
import type { Command } from 'commander'
import type { CatalogPlan, CatalogService } from '../../api/catalog.ts'
import type { Client } from '../../client/client.ts'
import { nearest } from '../../kit/text.ts'
import { fail, toProblem } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { type ListChoice, withChoice } from '../list-choice.ts'
import { type Form, printDocument, printFields, printList, withOutput } from '../output.ts'
import { printTable } from '../table.ts'
import { print, say } from '../terminal.ts'

export function register(program: Command): void {
  const command = add(program, {
    usage: 'catalog [service]',
    summary: 'Show services and plans that can be ordered',
    examples: ['catalog', 'catalog alpha-db', 'catalog --tenant acme', 'catalog -o json'],
  }).option('--tenant <name>', 'as this tenant sees it')
  withChoice(withOutput(withConnection(command))).action(show)
}

async function show(
  service: string | undefined,
  options: { output: Form; tenant?: string } & ListChoice,
  command: Command,
): Promise<void> {
  const client = await connect(command)
  const { services } = await client.catalog(options.tenant)
  if (options.output === 'table' || options.output === 'wide') await sayRefused(client)
  if (service !== undefined) {
    const found = services.find((one) => one.name === service || one.id === service)
    await showService(options.output, found ?? unknown(service, services))
    return
  }
  await printList(
    options.output,
    {
      kind: 'Catalog',
      items: services.flatMap((one) => one.plans.map((plan) => ({ service: one, plan }))),
      empty: 'The catalog is empty.',
      name: ({ service: of, plan }) => `${of.name}/${plan.name}`,
      columns: [
        { title: 'SERVICE', of: ({ service: of }) => of.name },
        { title: 'PLAN', of: ({ plan }) => plan.name },
        { title: 'COST', of: ({ plan }) => (plan.free ? 'free' : 'paid') },
        { title: 'USED', of: ({ plan }) => usage(plan) },
        { title: 'CONTRACT', of: ({ service: of }) => of.package.contract, wide: true },
        { title: 'VERSION', of: ({ service: of }) => of.package.version, wide: true },
        { title: 'PLAN ID', of: ({ plan }) => plan.id, wide: true },
        { title: 'DESCRIPTION', of: ({ plan }) => plan.description },
      ],
    },
    options,
  )
}

/** Tells why a service is missing from the list. */
async function sayRefused(client: Client): Promise<void> {
  const { items } = await client.packages().catch((error: unknown) => {
    // Developers order from the catalog and may not see what is behind it.
    if (toProblem(error).code === 'request.forbidden') return { items: [] }
    throw error
  })
  for (const { name, state, problems } of items) {
    if (state === 'refused') say(`not offered: ${name}: ${problems?.[0]?.message ?? 'it could not be read'}`)
  }
}

async function showService(form: Form, service: CatalogService): Promise<void> {
  if (form === 'json' || form === 'yaml') return printDocument(form, 'CatalogService', service)
  if (form === 'name') return print(service.name)
  printFields([
    ['Service', service.name],
    ['Id', service.id],
    ['Description', service.description],
    ['Tags', service.tags.join(', ')],
    ['Package', `${service.package.name} ${service.package.version} (${service.package.contract})`],
    ['Digest', service.package.digest],
    ['Bindable', service.bindable ? 'yes' : 'no'],
  ])
  for (const plan of service.plans) {
    print('')
    printFields([
      ['Plan', plan.name],
      ['Id', plan.id],
      ['Description', plan.description],
      ['Used', usage(plan)],
      ['Answers', answers[plan.mode.instance]],
    ])
    const rows = parametersOf(plan)
    if (rows.length > 0) printTable(['PARAMETER', 'TYPE', 'FOR', 'DESCRIPTION'], rows)
  }
}

const answers: Readonly<Record<CatalogPlan['mode']['instance'], string>> = {
  sync: 'inside the request',
  async: 'in the background',
  auto: 'in the background, or inside the request of a platform that cannot wait',
}

function usage({ instances, limit }: CatalogPlan): string {
  return limit === undefined ? String(instances) : `${instances}/${limit}`
}

function parametersOf({ schemas }: CatalogPlan): readonly (readonly string[])[] {
  const all = Object.entries({ provision: schemas.create, update: schemas.update, bind: schemas.bind })
  const rows = new Map<string, { readonly type: string; readonly uses: string[]; readonly about: string }>()
  for (const [use, schema] of all) {
    const properties = schema?.['properties']
    if (typeof properties !== 'object' || properties === null) continue
    for (const [name, property] of Object.entries(properties)) {
      const { type, description } = property as { readonly type?: unknown; readonly description?: unknown }
      const known = rows.get(name)
      if (known) known.uses.push(use)
      else rows.set(name, { type: String(type ?? 'any'), uses: [use], about: String(description ?? '') })
    }
  }
  return [...rows].map(([name, { type, uses, about }]) => [name, type, uses.join(', '), about])
}

function unknown(service: string, services: readonly CatalogService[]): never {
  const near = nearest(
    service,
    services.map((one) => one.name),
  )
  return fail('catalog.service-unknown', `${service}${near ? `; did you mean ${near}?` : ''}`)
}
