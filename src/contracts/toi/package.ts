/** A TOI package becomes a package: one service, one plan, its further actions and papers. */
import type { JsonObject } from '../../kit/json.ts'
import type { ComponentResource } from '../../model/artifact.ts'
import { noChoice, type Package, type Plan, type Service } from '../../model/package.ts'
import { furtherActions, wordFor } from './actions.ts'
import { type Notes, notesJson } from './notes.ts'
import { publishedSchema } from './offer.ts'
import type { Options } from './options.ts'

export interface Found {
  readonly resource: ComponentResource
  readonly digest: string
  readonly options: Options
}

export function packageOf(notes: Notes, { resource, digest, options }: Found): Package {
  const { component, version, description } = notes
  return {
    contract: 'toi',
    name: component,
    version,
    digest,
    services: [serviceOf(notes, resource, options)],
    actions: furtherActions(notes, options).map((name) => ({ name, modifies: true, stateless: false })),
    papers: {
      ...(description === undefined ? {} : { summary: oneLine(description), description }),
      files: Object.values(filesOf(notes)).map((name) => ({ name })),
    },
    notes: notesJson(notes),
  }
}

function filesOf({ executors }: Notes): Readonly<Record<string, string>> {
  return Object.assign({}, ...executors.map(({ outputs }) => outputs)) as Readonly<Record<string, string>>
}

function serviceOf(notes: Notes, resource: ComponentResource, options: Options): Service {
  const { component, description = '' } = notes
  // The domain before it tells components apart, and says nothing to people.
  const called = `${component.split('/').at(-1) ?? component}${variantOf(resource)}`
  const metadata: JsonObject = {
    displayName: called,
    ...(description === '' ? {} : { longDescription: description }),
  }
  return {
    name: serviceName(called),
    description: oneLine(description) || component,
    bindable: true,
    tags: [],
    requires: [],
    metadata,
    planUpdatable: true,
    instancesRetrievable: true,
    bindingsRetrievable: true,
    contextUpdates: false,
    plans: [planOf(notes, options)],
  }
}

/** What tells a package from others of its component belongs to the name of its service. */
function variantOf({ extraIdentity }: ComponentResource): string {
  return Object.values(extraIdentity)
    .map((value) => `-${value}`)
    .join('')
}

function planOf(notes: Notes, options: Options): Plan {
  const { version, description = '', layers } = notes
  const isRun = wordFor({ kind: 'bind' }, notes, options) !== undefined
  const schema = publishedSchema(layers.scheme, noChoice)
  return {
    name: 'default',
    description: oneLine(description) || notes.component,
    free: true,
    bindingRotatable: isRun,
    schemas: schema === undefined ? {} : { create: schema, update: schema },
    parametersCheckedBy: 'contract',
    maintenance: { version: maintenanceOf(version) },
    requiresApp: false,
    mode: { instance: 'async', binding: isRun ? 'auto' : 'sync' },
    operator: noChoice,
  }
}

/** Platforms want three numbers and no `v`. */
function maintenanceOf(version: string): string {
  const [, major = '0', minor = '0', patch = '0', rest = ''] =
    /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(.*)$/.exec(version) ?? []
  return `${major}.${minor}.${patch}${rest}`
}

function serviceName(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return plain.replace(/^-|-$/g, '') || 'package'
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
