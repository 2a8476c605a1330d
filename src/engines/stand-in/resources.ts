/** The kinds that the stand-in serves, and the documents by which clients discover them. */
import type { JsonObject } from '../../kit/json.ts'

export interface Resource {
  readonly kind: string
  readonly namespaced: boolean
  /** Where its objects may stand: the sandbox alone, or the target namespace, too. */
  readonly places: 'sandbox' | 'both'
  readonly verbs: readonly string[]
  /** How people write it on a command line. */
  readonly shortNames?: readonly string[]
}

const all = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']

/** By plural name; everything is in `v1`. */
export const resources: Readonly<Record<string, Resource>> = {
  secrets: { kind: 'Secret', namespaced: true, places: 'both', verbs: all },
  configmaps: { kind: 'ConfigMap', namespaced: true, places: 'both', verbs: all, shortNames: ['cm'] },
  pods: {
    kind: 'Pod',
    namespaced: true,
    places: 'sandbox',
    verbs: ['get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['po'],
  },
  serviceaccounts: {
    kind: 'ServiceAccount',
    namespaced: true,
    places: 'sandbox',
    verbs: ['get', 'list', 'watch'],
    shortNames: ['sa'],
  },
  events: {
    kind: 'Event',
    namespaced: true,
    places: 'both',
    verbs: ['create', 'get', 'list', 'watch'],
    shortNames: ['ev'],
  },
  namespaces: {
    kind: 'Namespace',
    namespaced: false,
    places: 'both',
    verbs: ['get', 'list', 'watch'],
    shortNames: ['ns'],
  },
}

const version = '28'

/** A fixed document for a path, if it is one of discovery. */
export function discovery(path: string): JsonObject | string | undefined {
  switch (path) {
    case '/version':
      return { major: '1', minor: version, gitVersion: `v1.${version}.0`, platform: 'linux/amd64' }
    case '/healthz':
    case '/livez':
    case '/readyz':
      return 'ok'
    case '/api':
      return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }
    case '/oapi':
      return { kind: 'APIVersions', versions: ['v1'] }
    case '/oapi/v1':
      return listOf('v1', ofOpenShift)
    case '/apis':
      return { kind: 'APIGroupList', apiVersion: 'v1', groups: [authorization] }
    case '/api/v1':
      return listOf('v1', Object.entries(resources).map(entryOf))
    case '/apis/authorization.k8s.io':
      return { kind: 'APIGroup', apiVersion: 'v1', ...authorization }
    case '/apis/authorization.k8s.io/v1':
      return listOf('authorization.k8s.io/v1', [
        {
          name: 'selfsubjectaccessreviews',
          singularName: '',
          namespaced: false,
          kind: 'SelfSubjectAccessReview',
          verbs: ['create'],
        },
      ])
    default:
      return undefined
  }
}

/** Only what a log-in asks for; no group names it, or bundles would take the stand-in for OpenShift. */
const ofOpenShift: readonly JsonObject[] = [
  { name: 'users', singularName: '', namespaced: false, kind: 'User', verbs: ['get'] },
  { name: 'projects', singularName: '', namespaced: false, kind: 'Project', verbs: ['get', 'list'] },
]

const authorization: JsonObject = {
  name: 'authorization.k8s.io',
  versions: [{ groupVersion: 'authorization.k8s.io/v1', version: 'v1' }],
  preferredVersion: { groupVersion: 'authorization.k8s.io/v1', version: 'v1' },
}

function listOf(groupVersion: string, entries: readonly JsonObject[]): JsonObject {
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: entries }
}

function entryOf([name, { kind, namespaced, verbs, shortNames = [] }]: readonly [
  string,
  Resource,
]): JsonObject {
  return { name, singularName: kind.toLowerCase(), namespaced, kind, verbs, shortNames }
}
