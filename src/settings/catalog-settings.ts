/** Settings of the catalog: which packages are offered, under which names, with which plans and inputs. */
import type { JsonObject } from '../kit/json.ts'
import { contractNames } from '../model/contract-names.ts'
import {
  choice,
  flag,
  group,
  integer,
  items,
  type Leaf,
  object,
  optional,
  reference,
  secret,
  text,
  texts,
  type ValueOf,
} from './kinds.ts'
import { faultsOfSource, sourceSettings } from './source-settings.ts'
import { tenantNames } from './tenant-settings.ts'

const say = (doc: string) => optional(text({ doc }))
const yesNo = (doc: string) => optional(flag({ doc }))
const document = (doc: string) => optional(object({ doc }))
const map = (doc: string): Leaf<JsonObject> => object({ doc, fallback: {} })

const service = {
  id: say('Id in the catalog; derived from the package when absent.'),
  name: say('Name in the catalog; in `services` also selects the service of the package.'),
  description: say('One sentence.'),
  tags: optional(texts({ doc: 'Tags.' })),
  requires: optional(texts({ doc: 'Permissions asked of the platform.' })),
  bindable: yesNo('Whether instances can be bound.'),
  planUpdatable: yesNo('Whether instances can move to another plan.'),
  instancesRetrievable: yesNo('Whether instances can be fetched.'),
  bindingsRetrievable: yesNo('Whether bindings can be fetched.'),
  contextUpdates: yesNo('Whether the platform may send a new context.'),
  metadata: document('Metadata of the service; merged over that of the package.'),
  dashboardClient: document('OAuth client of the dashboard.'),
}

const plan = {
  id: say('Id in the catalog; derived from package and name when absent.'),
  name: text({
    doc: 'Name; selects the plan of the package, or makes a new one where the contract has none.',
  }),
  from: say("The package's plan that this one is made from; its own name when absent."),
  description: say('One sentence.'),
  free: yesNo('Whether it costs nothing.'),
  bindable: yesNo('Whether its instances can be bound.'),
  bindingRotatable: yesNo('Whether bindings can be rotated.'),
  planUpdatable: yesNo('Whether instances can leave this plan.'),
  requiresApp: yesNo('Whether bindings are for applications only.'),
  mode: optional(
    choice(['sync', 'async', 'auto'], {
      doc: 'Whether provision, update and deprovision end inside the request; `auto`: only when the platform cannot wait.',
    }),
  ),
  bindingMode: optional(
    choice(['sync', 'async', 'auto'], {
      doc: 'The same for bind and unbind.',
    }),
  ),
  pollingSecondsMax: optional(integer({ doc: 'How long platforms should poll.', least: 1 })),
  maintenance: document('`version` and `description` of what is offered.'),
  metadata: document('Metadata of the plan; merged over that of the package.'),
  schemas: document('Parameter schemas `create`, `update` and `bind`, instead of those of the package.'),
  inputs: map('Values that users cannot change.'),
  defaults: map('Values that users may override.'),
  allow: optional(texts({ doc: 'What users may set; all that is not fixed when absent.' })),
  limit: optional(integer({ doc: 'How many instances there may be.' })),
  visibleTo: optional(
    tenantNames({ doc: 'Tenants that see it and may order it; as its entry says, when absent.' }),
  ),
  options: map('Settings of the contract itself.'),
}

export const catalogSettings = items(
  'A package that is offered, or a source of many; the catalog is read again on SIGHUP, all of it or nothing.',
  {
    package: optional(reference({ doc: 'Reference to the package, resolved to a digest once.' })),
    source: sourceSettings,
    signedBy: texts({
      doc: 'Signers of the signing policy (`registries.signingPolicy`) of which one must have signed the package, or every image of the source, besides what the policy itself asks.',
      fallback: [],
    }),
    contract: optional(
      choice(contractNames, { doc: 'Name of the contract, where it should not be detected.' }),
    ),
    service: group('Service of a package that brings one or none; overrides.', service),
    plans: items('Plans; all plans of the package when absent.', plan),
    services: items('Services of a package that brings several; all when absent.', {
      ...service,
      plans: items('Plans; all plans of the service when absent.', plan),
    }),
    options: map('Settings of the contract itself, for example a selectable compatibility.'),
    visibleTo: optional(
      tenantNames({
        doc: 'Tenants that see what the package or source offers and may order it; all, when absent.',
      }),
    ),
    lend: texts({
      doc: 'What listens on this host and its runs may reach though their network is their own, as `ADDRESS:PORT`, or `NAME=ADDRESS:PORT` for a name that they find it by.',
      pattern: /^(?:[a-z0-9][a-z0-9.-]*=)?\d{1,3}(?:\.\d{1,3}){3}:\d{1,5}$/,
      written: 'address:port or name=address:port',
      fallback: [],
    }),
    infrastructure: items('Lent to the package: accounts, addresses. Users never see it.', {
      name: text({ doc: 'As the package calls it, for example the name of a variable.' }),
      value: secret({ doc: 'Its value.' }),
    }),
  },
)

type WrittenEntry = ValueOf<typeof catalogSettings>[number]

/** One package of the catalog. */
export interface CatalogEntry extends Omit<WrittenEntry, 'package' | 'source'> {
  readonly package: string
}

/** Many packages: those that a place holds. */
export interface SourceEntry
  extends Pick<WrittenEntry, 'contract' | 'options' | 'infrastructure' | 'lend' | 'signedBy' | 'visibleTo'> {
  readonly source: WrittenEntry['source'] & { readonly name: string }
}

/** The entries of the catalog by their kind; each names a package or a source, which was checked when they were read. */
export function entriesOf(written: readonly WrittenEntry[]): readonly (CatalogEntry | SourceEntry)[] {
  return written.flatMap(
    ({ package: reference, source, ...rest }): readonly (CatalogEntry | SourceEntry)[] => {
      if (reference !== undefined) return [{ ...rest, package: reference }]
      const { name } = source
      return name === undefined ? [] : [{ ...rest, source: { ...source, name } }]
    },
  )
}

/** What is wrong with entries that each of their settings alone does not tell. */
export function faultsOfCatalog(written: readonly WrittenEntry[]): readonly string[] {
  const names = written.flatMap(({ source }) => source.name ?? [])
  return written.flatMap((entry, i) => {
    const tell = (what: string) => `catalog[${i}] ${what}`
    const { name } = entry.source
    if ((entry.package === undefined) === (name === undefined))
      return [tell('names either a package or a source')]
    if (name === undefined) return []
    const own = Object.values(entry.service).some((word) => word !== undefined)
    return [
      ...(own || entry.plans.length > 0 || entry.services.length > 0
        ? [tell('is a source: what is meant for one service stands in source.overrides')]
        : []),
      ...(names.indexOf(name) < names.lastIndexOf(name) && names.indexOf(name) === i
        ? [tell(`names the source ${name}, and so does another`)]
        : []),
      ...faultsOfSource(entry.source).map(tell),
    ]
  })
}
