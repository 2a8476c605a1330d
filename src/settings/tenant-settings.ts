/** Settings of tenants: which of the catalog they see, how much they may have, where and how their packages run. */
import { repeated } from '../kit/repeated.ts'
import { choice, integer, items, type Leaf, optional, text, texts, type ValueOf } from './kinds.ts'

/** How tenants are written wherever several may be meant. */
const pattern = /^(?:\*|[^\s*]+(?:\/\*)?)$/
const written = 'NAME | NAME/* | *'

/** How an engine is named. */
const engineName = /^(?:embedded|docker|kubernetes(?:\/[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)?)$/

export function tenantNames(traits: {
  readonly doc: string
  readonly fallback?: []
}): Leaf<readonly string[]> {
  return texts({ ...traits, pattern, written })
}

export const tenantSettings = items(
  'What a tenant may see and have, or all tenants below a name. Where several entries fit, all bounds hold.',
  {
    name: text({ doc: 'A tenant, `NAME/*` for all below one, `*` for all.', pattern, written }),
    services: optional(
      texts({
        doc: 'Services, or plans as `SERVICE/PLAN`, that it sees and may order. Of several entries the nearest that says it counts; all, when none does.',
        pattern: /^[^\s/]+(?:\/[^\s/]+)?$/,
        written: 'SERVICE | SERVICE/PLAN',
      }),
    ),
    instances: optional(
      integer({
        doc: 'How many instances it may have; all of them together, where the name stands for several.',
      }),
    ),
    bindings: optional(integer({ doc: 'The same of bindings.' })),
    queued: optional(
      integer({ doc: 'How many of its operations may wait; an order beyond is refused with 429.', least: 1 }),
    ),
    ordersPerMinute: optional(
      integer({ doc: 'How many orders it may give within a minute, over all brokers.', least: 1 }),
    ),
    engine: optional(
      text({
        doc: 'The engine that its packages run on, and no other; that of `engine` when absent. `kubernetes/NAMESPACE` is the cluster of `kubernetes` with a namespace of its own for pods. Takes a restart where the engine is not open yet.',
        pattern: engineName,
        written: 'embedded | docker | kubernetes | kubernetes/NAMESPACE',
      }),
    ),
    network: optional(
      choice(['default', 'none'], { doc: '`none`: its packages get no network, whatever they ask for.' }),
    ),
    logs: optional(
      choice(['tenant', 'operators'], {
        doc: '`operators`: logs of its packages are read only by accounts that may read those of all tenants.',
      }),
    ),
  },
)

/** What is wrong with entries that each of them alone does not tell. */
export function faultsOfTenants(entries: ValueOf<typeof tenantSettings>): readonly string[] {
  return repeated(entries.map(({ name }) => name)).map((name) => `tenants has ${JSON.stringify(name)} twice`)
}
