/** The account of the broker in its cluster, and what that account may do: pods in the namespaces of runs, and what the configuration asks for. */
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

/** Asking tells what users may do, and changes nothing. */
const reviewRules: readonly Json[] = [
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
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
    ...(values.judgesUsers ? reviewObjects(namespace, subjects) : []),
  ]
}

/** Roles of a cluster are there once: the name tells of which broker. */
function reviewObjects(namespace: string, subjects: readonly Json[]): readonly JsonObject[] {
  const metadata = { name: `chandler-access-reviews-${namespace}` }
  return [
    { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata, rules: reviewRules },
    {
      apiVersion: `${group}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: metadata.name },
      subjects,
    },
  ]
}
