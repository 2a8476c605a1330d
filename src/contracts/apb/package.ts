/** A spec becomes a package: one service under the names and ids of the original broker. */
import { present } from '../../kit/present.ts'
import {
  type Mode,
  noChoice,
  type Package,
  type Papers,
  type Plan,
  type Service,
} from '../../model/package.ts'
import { planId, serviceId, serviceName } from './names.ts'
import { type Notes, notesJson } from './notes.ts'
import type { Options } from './options.ts'
import { metadataWithForms, schemasOf } from './schemas.ts'
import type { Spec, SpecPlan } from './spec.ts'

/** The package of a bundle that has been read. */
export function packageOf(notes: Notes, digest: string, options: Options): Package {
  const { spec } = notes
  return {
    contract: 'apb',
    name: spec.name,
    version: spec.version,
    digest,
    services: [serviceOf(spec, options)],
    actions: [
      {
        name: 'test',
        title: 'Test',
        description: "Runs the bundle's own test, of an instance or by itself.",
        modifies: false,
        stateless: true,
      },
    ],
    papers: papersOf(spec),
    notes: notesJson(notes),
  }
}

function serviceOf(spec: Spec, options: Options): Service {
  const name = serviceName(options.registry, spec.name)
  return {
    id: serviceId(name),
    name,
    description: spec.description === '' ? spec.name || name : spec.description,
    bindable: spec.bindable,
    tags: spec.tags,
    requires: [],
    metadata: spec.metadata,
    planUpdatable: spec.plans.some(({ updatesTo }) => updatesTo.length > 0),
    instancesRetrievable: true,
    // Credentials are stored, whether a run made them or not.
    bindingsRetrievable: spec.bindable || spec.plans.some(({ bindable }) => bindable === true),
    contextUpdates: false,
    plans: spec.plans.map((plan) => planOf(name, spec, plan, options)),
  }
}

function planOf(service: string, spec: Spec, plan: SpecPlan, options: Options): Plan {
  return {
    id: planId(service, plan.name),
    name: plan.name,
    description: plan.description === '' ? plan.name || spec.name : plan.description,
    free: plan.free,
    ...present({ bindable: plan.bindable }),
    bindingRotatable: false,
    planUpdatable: plan.updatesTo.length > 0,
    ...(plan.updatesTo.length === 0 ? {} : { updatesTo: plan.updatesTo }),
    metadata: metadataWithForms(plan, noChoice, options),
    schemas: schemasOf(plan, noChoice, options),
    parametersCheckedBy: 'contract',
    requiresApp: false,
    mode: {
      instance: modeOf(spec),
      binding: options.launchOnBind === 'never' ? 'sync' : 'auto',
    },
    // A plan that the operator makes from this one keeps saying which it was.
    operator: { ...noChoice, options: { plan: plan.name } },
  }
}

/** What is not said, or is no word of the list, is left to the platform, as the original broker left it. */
function modeOf({ async }: Spec): Mode {
  if (async === 'required') return 'async'
  return async === 'unsupported' ? 'sync' : 'auto'
}

function papersOf({ description, metadata }: Spec): Papers {
  const word = (key: string): string | undefined => {
    const value = metadata[key]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const links = present({
    documentation: word('documentationUrl'),
    support: word('supportUrl'),
  }) as Readonly<Record<string, string>>
  const provider = word('providerDisplayName')
  return present({
    summary: description === '' ? undefined : description,
    description: word('longDescription'),
    authors: provider === undefined ? undefined : [provider],
    icon: iconOf(word('imageUrl')),
    links: Object.keys(links).length === 0 ? undefined : links,
  })
}

function iconOf(url: string | undefined): Papers['icon'] {
  const [, mediaType, base64] = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=]+)$/.exec(url ?? '') ?? []
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType, base64 }
}
