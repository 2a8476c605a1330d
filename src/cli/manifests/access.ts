/** The account of a broker in its cluster, and what that account may do: pods in the namespaces of runs, nothing else. */
import type { Json, JsonObject } from '../../kit/json.ts'
import { brokerObject } from './object.ts'
import type { Values } from './values.ts'

const group = 'rbac.authorization.k8s.io'
const name = 'chandler-runs'

/** Files go in and results come out over exec; servers ask for either verb. */
const rules: readonly Json[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create'] },
]

/** The account of the broker, and a role in each namespace of runs. */
export function accessObjects(values: Values): readonly JsonObject[] {
  const { namespace, runs } = values
  const subjects = [{ kind: 'ServiceAccount', name: 'chandler', namespace }]
  return [
    brokerObject(values, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      name: 'chandler',
      // Only the pod of the broker asks for a token.
      body: { automountServiceAccountToken: false },
    }),
    ...[runs.namespace, ...runs.furtherNamespaces].flatMap((place): readonly JsonObject[] => [
      { apiVersion: `${group}/v1`, kind: 'Role', metadata: { name, namespace: place }, rules },
      {
        apiVersion: `${group}/v1`,
        kind: 'RoleBinding',
        metadata: { name, namespace: place },
        roleRef: { apiGroup: group, kind: 'Role', name },
        subjects,
      },
    ]),
  ]
}
