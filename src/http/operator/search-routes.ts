/** The route of the search over everything that has a name. */
import { toBinding } from '../../api/binding.ts'
import { toInstance } from '../../api/instance.ts'
import { toOperation } from '../../api/operation.ts'
import { Found, SearchQuery } from '../../api/search.ts'
import type { Ports } from '../../broker/ports.ts'
import { catalogSeen } from '../../broker/visible.ts'
import { type Access, permits, reachOf } from '../../model/access.ts'
import { namesOf } from './naming.ts'
import { document, look, route } from './route.ts'

const most = 8

export const searchRoutes = [
  route({
    method: 'GET',
    url: '/search',
    needs: 'read:instances',
    tag: 'broker',
    summary: 'Instances, services, bindings and operations by how their names or ids begin',
    audit: look,
    query: SearchQuery,
    answers: Found,
    handle: async ({ query, account }, { broker }) =>
      document(await find(broker, query.text.trim(), account.access)),
  }),
]

async function find(broker: Ports, text: string, access: Access): Promise<Found> {
  const { look: see } = broker.store
  const catalog = broker.catalog()
  const [instances, bindings, operation] = await Promise.all([
    see.instances({ tenants: reachOf(access, 'read:instances'), beginning: text, isPresent: true, most }),
    see.bindingsNamed({ tenants: reachOf(access, 'read:bindings'), beginning: text, most }),
    see.operation(text.toLowerCase()),
  ])
  const { offers } = catalogSeen(broker, reachOf(access, 'read:catalog'))
  const services = new Map(offers.map(({ service }) => [service.id, service]))
  const wanted = text.toLowerCase()
  return {
    services: [...services.values()]
      .filter(({ id, name }) => name.toLowerCase().includes(wanted) || id === text)
      .slice(0, most)
      .map(({ id, name, description }) => ({ id, name, description })),
    instances: await Promise.all(
      instances.items.map(async (one) => toInstance(one, await namesOf(see, catalog, one.planId))),
    ),
    bindings: bindings.map((one) => toBinding(one)),
    operations:
      operation !== undefined && permits(access, 'read:operations', operation.tenant)
        ? [toOperation(operation)]
        : [],
  }
}
