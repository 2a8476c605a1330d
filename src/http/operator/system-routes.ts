/** Routes about the broker itself: the caller's account, the catalog, nodes, freeze, keys, backup. */
import { Type } from 'typebox'
import { CatalogAnswer, CatalogQuery, toCatalog } from '../../api/catalog.ts'
import { About, Backup, Cluster, Freeze, Health, Keys, SupportQuery, toCluster } from '../../api/cluster.ts'
import { Examination } from '../../api/findings.ts'
import { freezeBroker, thawBroker } from '../../broker/govern.ts'
import { catalogSeen } from '../../broker/visible.ts'
import { present } from '../../kit/present.ts'
import { reachOf } from '../../model/access.ts'
import { problemCodes } from '../../model/problem-codes.ts'
import { refuseForeign } from './authorize.ts'
import { freshId } from './fresh-id.ts'
import type { OperatorPorts } from './ports.ts'
import { type Call, deed, document, look, nothing, order, route } from './route.ts'

const KeyId = Type.Object({ key: Type.String() })

const ProblemList = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        code: Type.String(),
        title: Type.String(),
        hint: Type.String(),
        status: Type.Integer(),
        exit: Type.Integer(),
      }),
    ),
  },
  { title: 'ProblemList' },
)

export const systemRoutes = [
  route({
    method: 'GET',
    url: '/about',
    needs: 'read:broker',
    tag: 'broker',
    summary: 'Which broker this is, and who is asking',
    audit: look,
    answers: About,
    handle: async ({ account }, { broker, version }) => {
      const { id } = await broker.store.look.cluster()
      const { name, role } = account
      return document({ name: 'chandler', version, cluster: id, user: { name, role } })
    },
  }),
  route({
    method: 'GET',
    url: '/problems',
    needs: 'read:broker',
    tag: 'broker',
    summary: 'Everything that may go wrong, by code',
    audit: look,
    answers: ProblemList,
    handle: () =>
      Promise.resolve(
        document({ items: Object.entries(problemCodes).map(([code, kind]) => ({ code, ...kind })) }),
      ),
  }),
  route({
    method: 'GET',
    url: '/catalog',
    needs: 'read:catalog',
    tag: 'catalog',
    summary: 'Services and plans that can be ordered, as the tenants of the account see them',
    audit: look,
    query: CatalogQuery,
    answers: CatalogAnswer,
    handle: async ({ account, query: { tenant }, tenants }, { broker }) => {
      if (tenant !== undefined) refuseForeign(tenants, tenant)
      const { offers } = catalogSeen(broker, tenant === undefined ? tenants : [tenant])
      const mine = tenant === undefined ? reachOf(account.access, 'read:instances') : [tenant]
      const counted = offers.map(async (offer) => ({
        ...offer,
        instances: await broker.store.look.countInstances(offer.plan.id, undefined, mine),
      }))
      return document(toCatalog(await Promise.all(counted)))
    },
  }),
  route({
    method: 'GET',
    url: '/cluster',
    needs: 'read:cluster',
    tag: 'broker',
    summary: 'Nodes, counts by state, and whether the broker is frozen',
    audit: look,
    answers: Cluster,
    handle: async (_call, ports) => document(await clusterOf(ports)),
  }),
  route({
    method: 'GET',
    url: '/health',
    needs: 'read:cluster',
    tag: 'broker',
    summary: 'How the process that answers is: its loops, store, disk and engines',
    audit: look,
    answers: Health,
    handle: async (_call, { broker, health }) => document({ node: broker.node, checks: await health() }),
  }),
  route({
    method: 'GET',
    url: '/examination',
    needs: 'examine:broker',
    tag: 'broker',
    summary:
      'What doctor finds of the process that answers: host, store, engines and registries, and what to fix',
    audit: look,
    answers: Examination,
    handle: async (_call, { examine }) => document(await examine()),
  }),
  route({
    method: 'POST',
    url: '/freeze',
    needs: 'freeze:broker',
    tag: 'broker',
    summary: 'Refuse new orders; running work goes on',
    audit: order('broker.freeze'),
    body: Freeze,
    answers: Cluster,
    handle: async ({ body, asker }, ports) => {
      await freezeBroker(ports.broker, asker, { reason: body.reason, all: body.all ?? false })
      return document(await clusterOf(ports))
    },
  }),
  route({
    method: 'DELETE',
    url: '/freeze',
    needs: 'freeze:broker',
    tag: 'broker',
    summary: 'Take new orders again',
    audit: order('broker.thaw'),
    status: 204,
    handle: async ({ asker }, { broker }) => {
      await thawBroker(broker, asker)
      return nothing
    },
  }),
  route({
    method: 'GET',
    url: '/keys',
    needs: 'read:keys',
    tag: 'broker',
    summary: 'Keys of the key ring, and how many records each seals',
    audit: look,
    answers: Keys,
    handle: async (_call, { keys }) => document(await keys.status()),
  }),
  route({
    method: 'POST',
    url: '/keys',
    needs: 'change:keys',
    tag: 'broker',
    summary: 'Add a key that opens only, until it is activated',
    audit: deed('key.add'),
    answers: Keys,
    status: 201,
    handle: async (call, ports) => document(await ports.keys.add(seedOf(call, ports))),
  }),
  route({
    method: 'POST',
    url: '/keys/:key/activate',
    needs: 'change:keys',
    tag: 'broker',
    summary: 'Make a key of the ring the active one; records follow in the background',
    audit: deed('key.activate'),
    params: KeyId,
    answers: Keys,
    status: 202,
    handle: async ({ params }, { keys }) => document(await keys.activate(params.key)),
  }),
  route({
    method: 'DELETE',
    url: '/keys/:key',
    needs: 'change:keys',
    tag: 'broker',
    summary: 'Take a key off the ring, if nothing is sealed with it',
    audit: deed('key.remove'),
    params: KeyId,
    answers: Keys,
    handle: async ({ params }, { keys }) => document(await keys.remove(params.key)),
  }),
  route({
    method: 'POST',
    url: '/keys/rotate',
    needs: 'change:keys',
    tag: 'broker',
    summary: 'Make a fresh key the active one; records follow in the background',
    audit: deed('key.rotate'),
    answers: Keys,
    status: 202,
    handle: async (call, ports) => document(await ports.keys.rotate(seedOf(call, ports))),
  }),
  route({
    method: 'POST',
    url: '/backups',
    needs: 'create:backups',
    tag: 'broker',
    summary: 'Write a consistent copy of the store (SQLite) into the data folder',
    audit: deed('store.backup'),
    answers: Backup,
    status: 201,
    handle: async (call, ports) => document({ file: await ports.backup(seedOf(call, ports)) }),
  }),
  route({
    method: 'GET',
    url: '/support-bundle',
    needs: 'read:support',
    tag: 'broker',
    summary: 'What a maintainer needs to see, as a tar (gzip) with a manifest: nothing secret, no parameters',
    audit: deed('support.bundle'),
    query: SupportQuery,
    handle: async ({ query }, { support }) => {
      const { sinceSeconds = 7200, operation } = query
      const bytes = await support({ sinceMs: sinceSeconds * 1000, ...present({ operation }) })
      return { kind: 'bytes', bytes, mediaType: 'application/gzip' }
    },
  }),
]

/** What touches files is not undone with a transaction: a repetition finds what was made by its name. */
function seedOf(
  { asker, idempotencyKey }: Pick<Call<unknown, unknown, unknown>, 'asker' | 'idempotencyKey'>,
  { broker }: OperatorPorts,
): string {
  return freshId(broker.chance, asker.account.id, idempotencyKey)
}

async function clusterOf({ broker }: OperatorPorts) {
  const { look: see } = broker.store
  return toCluster({
    cluster: await see.cluster(),
    nodes: await see.nodes(),
    counts: await see.countByState(),
  })
}
