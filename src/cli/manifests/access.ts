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

/** One by one, by their names: lists of all Secrets are not needed. */
const secretRules: readonly Json[] = [
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'update', 'delete'] },
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
    ...[runs.namespace, ...runs.furtherNamespaces].flatMap((place) =>
      roleObjects({ name, namespace: place }, rules, subjects),
    ),
    ...values.bindingSecrets.namespaces.flatMap((place) =>
      roleObjects({ name: 'chandler-binding-secrets', namespace: place }, secretRules, subjects),
    ),
    ...(values.judgesUsers ? reviewObjects(namespace, subjects) : []),
  ]
}

/** A role of a namespace, and that the account of the broker has it. */
function roleObjects(
  metadata: { readonly name: string; readonly namespace: string },
  rules: readonly Json[],
  subjects: readonly Json[],
): readonly JsonObject[] {
  return [
    { apiVersion: `${group}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${group}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: group, kind: 'Role', name: metadata.name },
      subjects,
    },
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
