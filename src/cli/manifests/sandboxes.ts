/** What a broker may do besides when its configuration names targets of sandboxes (`kubernetes.sandboxes`). */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { Values } from './values.ts'

const group = 'rbac.authorization.k8s.io'

const rule = (
  apiGroup: string,
  resources: readonly string[],
  verbs: readonly string[],
  resourceNames?: readonly string[],
): JsonObject => ({
  apiGroups: [apiGroup],
  resources: [...resources],
  ...(resourceNames === undefined ? {} : { resourceNames: [...resourceNames] }),
  verbs: [...verbs],
})

/** The broker in a sandbox, by a binding that it makes there. */
const inSandbox: readonly JsonObject[] = [
  rule('', ['pods'], ['get', 'list', 'watch', 'create', 'patch', 'delete']),
  rule('', ['pods/exec'], ['get', 'create']),
  rule('', ['serviceaccounts', 'secrets', 'configmaps'], ['get', 'create']),
]

/** A run in its own sandbox. Without exec: what tells the broker of the run is in its pod. */
const ofRuns: readonly JsonObject[] = [
  rule('', ['secrets', 'configmaps'], ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']),
  rule('', ['pods'], ['get', 'list', 'watch', 'update', 'patch']),
  rule('', ['events'], ['get', 'list', 'watch', 'create', 'patch']),
]

const inTarget: readonly JsonObject[] = [
  rule(group, ['rolebindings'], ['list', 'create', 'delete']),
  rule('networking.k8s.io', ['networkpolicies'], ['list', 'create', 'delete']),
]

/** Names tell of which broker where several may have one. Roles in the cluster as a whole, in each target, and where the Secrets lie that images are pulled with. */
export function sandboxObjects({ namespace, runs, configuration }: Values): readonly JsonObject[] {
  const { targets, role } = sandboxesIn(configuration)
  if (targets.length === 0) return []
  const subjects = [{ kind: 'ServiceAccount', name: 'chandler', namespace }]
  const inCluster = [
    rule('', ['namespaces'], ['get', 'list', 'create', 'patch', 'delete']),
    rule(group, ['rolebindings'], ['create']),
    rule(group, ['clusterroles'], ['bind'], ['chandler-sandbox', 'chandler-bundle', role]),
  ]
  const bound = (name: string, rules: readonly JsonObject[], place?: string): readonly JsonObject[] => {
    const metadata = { name, ...(place === undefined ? {} : { namespace: place }) }
    const kind = place === undefined ? 'ClusterRole' : 'Role'
    const roleRef = { apiGroup: group, kind, name }
    return [
      roleOf(kind, metadata, rules),
      { apiVersion: `${group}/v1`, kind: `${kind}Binding`, metadata, roleRef, subjects },
    ]
  }
  const pulls = [rule('', ['secrets'], ['get'], runs.pullSecrets)]
  return [
    ...bound(`chandler-sandboxes-${namespace}`, inCluster),
    roleOf('ClusterRole', { name: 'chandler-sandbox' }, inSandbox),
    roleOf('ClusterRole', { name: 'chandler-bundle' }, ofRuns),
    ...targets.flatMap((target) => bound(`chandler-target-${namespace}`, inTarget, target)),
    ...(runs.pullSecrets.length === 0 ? [] : bound('chandler-pull-secrets', pulls, runs.namespace)),
  ]
}

function roleOf(kind: string, metadata: JsonObject, rules: readonly JsonObject[]): JsonObject {
  return { apiVersion: `${group}/v1`, kind, metadata, rules: [...rules] }
}

/** As it was written; it was checked as the broker checks it. */
function sandboxesIn({ kubernetes }: JsonObject): {
  readonly targets: readonly string[]
  readonly role: string
} {
  const given: Json = isObject(kubernetes) ? ((kubernetes as JsonObject)['sandboxes'] ?? {}) : {}
  const { targets = [], role = 'edit' } = isObject(given) ? (given as JsonObject) : {}
  const names = String(targets).split(',')
  return { targets: names.map((name) => name.trim()).filter((name) => name !== ''), role: String(role) }
}
