/** A read pak as the broker sees it: services and plans with the schemas of their parameters. */
import type { JsonObject } from '../../kit/json.ts'
import { noChoice, type Package, type Plan, type Service } from '../../model/package.ts'
import { type Definition, hasTemplates, type PakPlan } from './definition.ts'
import { defaultEngine } from './manifest.ts'
import type { Notes } from './notes.ts'
import type { PakOptions } from './options.ts'
import { operatorPlans } from './plans.ts'
import { schemaOf } from './schema.ts'

/** What a plan keeps of its origin, whatever the operator calls it later. */
export interface PlanMemory {
  readonly service: string
  readonly properties: JsonObject
  readonly provisionOverrides: JsonObject
  readonly bindOverrides: JsonObject
}

export function packageOf(notes: Notes, options: PakOptions): Package {
  const { manifest, definitions, digest } = notes
  const author = manifest.metadata['author']
  return {
    contract: 'brokerpak',
    name: manifest.name,
    version: manifest.version,
    digest,
    services: definitions
      .filter(({ id }) => !options.excludedServices.includes(id))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((definition) => serviceOf(definition, notes, options)),
    actions,
    papers: {
      summary: `${definitions.length === 1 ? 'A service' : `${definitions.length} services`} made by Terraform.`,
      ...(author === undefined ? {} : { authors: [author] }),
    },
    notes: notes as unknown as JsonObject,
  }
}

/** What every instance of a pak can be asked beyond the life cycle. */
const actions: Package['actions'] = [
  {
    name: 'apply',
    title: 'Apply again',
    description:
      'Makes the instance what its parameters and its pak say, whether or not anything was changed.',
    modifies: true,
    stateless: false,
  },
  {
    name: 'check',
    title: 'Check for drift',
    description: 'Says what has changed outside and what an apply would do, and changes nothing.',
    modifies: false,
    stateless: false,
  },
  {
    name: 'preview',
    title: 'Preview an update',
    description: 'Says what an update with these parameters would do, and does not do it.',
    modifies: false,
    stateless: false,
  },
  {
    name: 'export-state',
    title: 'Export the state',
    description: 'Hands out the state as Terraform keeps it, secrets included.',
    modifies: false,
    stateless: false,
  },
  {
    name: 'import-state',
    title: 'Import a state',
    description: 'Puts a state from elsewhere in the place of the one that is there.',
    modifies: true,
    stateless: false,
    parameters: {
      type: 'object',
      properties: { state: { type: ['object', 'string'], writeOnly: true } },
      required: ['state'],
      additionalProperties: false,
    },
  },
]

function serviceOf(definition: Definition, notes: Notes, options: PakOptions): Service {
  const added = operatorPlans(definition, options.plans[definition.name])
  const plans = [...definition.plans, ...added.plans]
  return {
    id: definition.id,
    name: `${options.servicePrefix}${definition.name}`,
    description: definition.description,
    bindable: true,
    tags: definition.tags,
    requires: [],
    metadata: {
      displayName: definition.displayName,
      longDescription: definition.description,
      documentationUrl: definition.documentationUrl,
      supportUrl: definition.supportUrl,
      imageUrl: definition.imageUrl,
      ...(definition.providerDisplayName === ''
        ? {}
        : { providerDisplayName: definition.providerDisplayName }),
    },
    // V1 knows no update; its definitions say nothing about it.
    planUpdatable: definition.planUpdateable,
    instancesRetrievable: true,
    bindingsRetrievable: true,
    contextUpdates: false,
    plans:
      plans.length > 0
        ? plans.map((plan) => planOf(definition, plan, notes, options))
        : [patternOf(definition, notes, options)],
  }
}

/** Another build of a pak is an upgrade, as another engine is: what it was built of is told behind the version. */
function maintenanceOf({ manifest, digest }: Notes, { maintenance }: PakOptions): Pick<Plan, 'maintenance'> {
  const engine = defaultEngine(manifest)
  const named = engine === undefined ? '' : `${engine.name} ${engine.version}`
  if (maintenance === 'engine') {
    const offered = engine !== undefined && manifest.upgradePath.length > 0
    return offered ? { maintenance: { version: engine.version, description: named } } : {}
  }
  const isPlain = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(engine?.version ?? '')
  const version = `${isPlain ? engine?.version : '0.0.0'}+${digest.replace(/^sha256:/, '').slice(0, 12)}`
  const description = [`${manifest.name} ${manifest.version}`, named].filter((one) => one !== '').join(', ')
  return { maintenance: { version, description } }
}

function planOf(definition: Definition, plan: PakPlan, notes: Notes, options: PakOptions): Plan {
  const memory: PlanMemory = {
    service: definition.name,
    properties: plan.properties,
    provisionOverrides: plan.provisionOverrides,
    bindOverrides: plan.bindOverrides,
  }
  return {
    ...(plan.id === '' ? {} : { id: plan.id }),
    name: plan.name,
    description: plan.description,
    free: plan.free,
    bindingRotatable: false,
    metadata: {
      displayName: plan.displayName,
      ...(plan.bullets.length > 0 ? { bullets: plan.bullets } : {}),
    },
    schemas: {
      create: schemaOf(definition.provision.userInputs),
      update: schemaOf(definition.provision.userInputs.map((input) => ({ ...input, required: false }))),
      bind: schemaOf(definition.bind.userInputs),
    },
    // Defaults, overrides and computed values take part in the check, so only the contract can make it.
    parametersCheckedBy: 'contract',
    ...maintenanceOf(notes, options),
    requiresApp: false,
    mode: { instance: 'async', binding: hasTemplates(definition.bind) ? 'auto' : 'sync' },
    operator: { ...noChoice, options: { plan: memory as unknown as JsonObject } },
  }
}

/** A service whose plans are the operator's: a pattern to make them from. */
function patternOf(definition: Definition, notes: Notes, options: PakOptions): Plan {
  const plan: PakPlan = {
    id: '',
    name: 'default',
    description: 'As the service is without further choices.',
    displayName: 'Default',
    bullets: [],
    free: false,
    properties: {},
    provisionOverrides: {},
    bindOverrides: {},
  }
  return planOf(definition, plan, notes, options)
}
