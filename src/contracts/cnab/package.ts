/** A bundle becomes a package: one service, its plans, its actions and papers. */
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import {
  type CustomAction,
  noChoice,
  type OperatorChoice,
  type Package,
  type Papers,
  type Plan,
  type Service,
} from '../../model/package.ts'
import { actionsOf } from './actions.ts'
import { bindingActions, bindingsOf } from './bindings.ts'
import type { Bundle } from './bundle.ts'
import type { Notes } from './notes.ts'
import { notesJson } from './notes.ts'
import type { Options } from './options.ts'
import { valuesOfSet } from './plan-faults.ts'
import { schemaFor } from './schemas.ts'
import { type PlanHint, type ServiceHints, serviceHints } from './service-hints.ts'
import { readValueSet } from './value-sets.ts'
import { judgeBundleVersion } from './words.ts'

/** Install, upgrade and uninstall are the life of an instance and are not invoked by hand. */
const ofLife = ['install', 'upgrade', 'uninstall']

/** The package of a bundle that has been read. */
export function packageOf(bundle: Bundle, notes: Notes, digest: string, options: Options): Package {
  const hints = serviceHints(bundle, options.service)
  return {
    contract: 'cnab',
    name: bundle.name,
    version: bundle.version,
    digest,
    services: [serviceOf(bundle, hints, options)],
    actions: customActions(bundle, hints),
    papers: papersOf(bundle, hints),
    notes: notesJson(notes),
  }
}

function serviceOf(bundle: Bundle, hints: ServiceHints, options: Options): Service {
  const metadata: JsonObject = {
    displayName: hints.displayName ?? bundle.name,
    ...(bundle.description === '' ? {} : { longDescription: bundle.description }),
    ...present({ imageUrl: hints.imageUrl, documentationUrl: hints.documentationUrl }),
    ...(bundle.maintainers[0] === undefined ? {} : { providerDisplayName: bundle.maintainers[0].name }),
  }
  return {
    ...present({ id: hints.id }),
    name: hints.name ?? serviceName(bundle.name),
    description: oneLine(hints.description ?? bundle.description) || bundle.name,
    bindable: bindingsOf(bundle, hints).kind !== 'none',
    tags: hints.tags ?? bundle.keywords,
    requires: [],
    metadata,
    planUpdatable: true,
    instancesRetrievable: true,
    bindingsRetrievable: true,
    contextUpdates: false,
    plans: plansOf(bundle, hints, options),
  }
}

/** Of the bundle's own word, of parameter sets, or one. */
function plansOf(bundle: Bundle, hints: ServiceHints, options: Options): readonly Plan[] {
  const sets = options.parameterSets.flatMap((document): readonly PlanHint[] => {
    const read = readValueSet(document, 'parameters')
    return read.kind === 'set' ? [{ name: read.set.name, parameters: valuesOfSet(bundle, document) }] : []
  })
  const named = [...(hints.plans ?? []), ...sets]
  const all: readonly PlanHint[] = named.length > 0 ? named : [{ name: 'default' }]
  return all.map((plan) => planOf(bundle, hints, plan))
}

function planOf(bundle: Bundle, hints: ServiceHints, hint: PlanHint): Plan {
  const operator: OperatorChoice = { ...noChoice, inputs: hint.parameters ?? {} }
  const bindings = bindingsOf(bundle, hints)
  const shared = bindings.kind === 'outputs' ? { sharedCredentials: true } : {}
  const metadata: JsonObject = { ...hint.metadata, ...shared }
  const versioned = judgeBundleVersion(bundle.version) === 'ok'
  return {
    ...present({ id: hint.id }),
    name: hint.name,
    description: oneLine(hint.description ?? bundle.description) || bundle.name,
    free: hint.free ?? true,
    bindingRotatable: bindings.kind === 'action',
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    schemas: planSchemas(bundle, hints, operator),
    parametersCheckedBy: 'contract',
    ...(versioned ? { maintenance: { version: bundle.version } } : {}),
    requiresApp: false,
    mode: { instance: 'async', binding: bindings.kind === 'outputs' ? 'sync' : 'auto' },
    operator,
  }
}

/** What users of a plan may send once its operator has decided. */
export function planSchemas(bundle: Bundle, hints: ServiceHints, operator: OperatorChoice): Plan['schemas'] {
  const bindings = bindingsOf(bundle, hints)
  const create = schemaFor({ bundle, action: 'install', operator, changeable: false })
  const update = schemaFor({ bundle, action: 'upgrade', operator, changeable: true })
  const bind =
    bindings.kind === 'action'
      ? schemaFor({ bundle, action: bindings.bind, operator, changeable: true })
      : undefined
  return {
    ...present({ create, update, bind }),
  }
}

function customActions(bundle: Bundle, hints: ServiceHints): readonly CustomAction[] {
  const hidden = [...ofLife, ...bindingActions(bundle, hints)]
  return actionsOf(bundle)
    .filter(({ name }) => !hidden.includes(name))
    .map((action) => {
      const schema = schemaFor({ bundle, action: action.name, operator: noChoice, changeable: true })
      return { ...action, ...present({ parameters: schema }) }
    })
}

function papersOf({ description, maintainers, license, custom }: Bundle, hints: ServiceHints): Papers {
  const authors = maintainers.map(({ name, email }) => (email === undefined ? name : `${name} <${email}>`))
  const link = hints.documentationUrl
  const made = custom['sh.porter'] === undefined ? undefined : 'Porter'
  return {
    ...(description === '' ? {} : { summary: oneLine(description) }),
    ...(authors.length === 0 ? {} : { authors }),
    ...present({ copyright: license }),
    ...(link === undefined ? {} : { links: { documentation: link } }),
    ...(made === undefined ? {} : { description: `${description}\n\nMade with ${made}.`.trim() }),
  }
}

/** In the letters that platforms accept. */
function serviceName(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return plain.replace(/^-|-$/g, '') || 'bundle'
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
