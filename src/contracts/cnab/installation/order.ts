/** What is ordered of an installation on this machine, as the parameters of the one action that its package has. */
import { decode, encode } from '../../../kit/codec.ts'
import type { JsonObject } from '../../../kit/json.ts'
import type { Package } from '../../../model/package.ts'
import type { InstalledBundle } from './ledger.ts'

export interface InstallationOrder {
  /** As the run tool is told; with its namespace before a slash, where it has one. */
  readonly installation: string
  /** Only this dependency of it. */
  readonly alias?: string
  /** In the bundle's words. */
  readonly action: string
  readonly bundle: InstalledBundle
  /** By dependency, typed, of this call; the bundle's own are under the empty name. */
  readonly given: Readonly<Record<string, JsonObject>>
  readonly credentials: Readonly<Record<string, string>>
  readonly options: JsonObject
  readonly labels?: Readonly<Record<string, string>>
  readonly parameterSets: readonly string[]
  readonly credentialSets: readonly string[]
  /** Take nothing over from what was given for earlier runs. */
  readonly anew: boolean
}

/** The one action: what is to be done is in its parameters. */
export const installationAction = 'run'

export function parametersOf(order: InstallationOrder): JsonObject {
  return { order: encode(order) }
}

export function orderIn({ order }: JsonObject): InstallationOrder {
  // Written by parametersOf and by nothing else.
  return decode<InstallationOrder>(String(order))
}

/** The package of all installations: which bundle is run is said with each order, for it may be another each time. */
export const installationPackage: Package = {
  contract: 'cnab-installation',
  name: 'cnab-installation',
  version: '1.0.0',
  digest: 'cnab-installation',
  services: [
    {
      name: 'cnab-installation',
      description: 'A bundle that commands have installed on this machine.',
      bindable: false,
      tags: [],
      requires: [],
      planUpdatable: false,
      instancesRetrievable: false,
      bindingsRetrievable: false,
      contextUpdates: false,
      plans: [
        {
          name: 'default',
          description: 'A bundle that commands have installed on this machine.',
          free: true,
          bindingRotatable: false,
          schemas: {},
          parametersCheckedBy: 'contract',
          requiresApp: false,
          mode: { instance: 'async', binding: 'async' },
          operator: { inputs: {}, defaults: {}, options: {} },
        },
      ],
    },
  ],
  actions: [{ name: installationAction, modifies: true, stateless: false }],
  papers: {},
  notes: null,
}
