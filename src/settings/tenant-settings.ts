/** Settings of tenants: which of the catalog they see, and how much they may have. */
import { integer, items, type Leaf, optional, text, texts, type ValueOf } from './kinds.ts'

/** How tenants are written wherever several may be meant. */
const pattern = /^(?:\*|[^\s*]+(?:\/\*)?)$/
const written = 'NAME | NAME/* | *'

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
  },
)

/** What is wrong with entries that each of them alone does not tell. */
export function faultsOfTenants(entries: ValueOf<typeof tenantSettings>): readonly string[] {
  const names = entries.map(({ name }) => name)
  const twice = new Set(names.filter((name, i) => names.indexOf(name) !== i))
  return [...twice].map((name) => `tenants has ${JSON.stringify(name)} twice`)
}
