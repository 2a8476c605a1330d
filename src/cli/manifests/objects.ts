/** The objects of a broker in a cluster, made from values: the same values give the same objects in the same order. */
import type { JsonObject } from '../../kit/json.ts'
import { accessObjects } from './access.ts'
import { networkObjects } from './network.ts'
import { brokerLabels, brokerObject } from './object.ts'
import { sandboxObjects } from './sandboxes.ts'
import type { Values } from './values.ts'
import { configurationOf, deploymentOf } from './workload.ts'

/** All of them, each after those that it needs. */
export function objectsOf(values: Values): readonly JsonObject[] {
  const configuration = configurationOf(values)
  return [
    ...namespacesOf(values),
    ...accessObjects(values),
    ...sandboxObjects(values),
    ...networkObjects(values),
    configuration,
    disruptionBudgetOf(values),
    deploymentOf(values, configuration),
  ]
}

/** Their labels say what pods there may be: those of a broker need no rights at all, runs begin as root. */
function namespacesOf({ createNamespaces, namespace, runs }: Values): readonly JsonObject[] {
  if (!createNamespaces) return []
  const profiles: readonly (readonly [string, string])[] = [
    [namespace, 'restricted'],
    ...[runs.namespace, ...runs.furtherNamespaces].map((name) => [name, 'baseline'] as const),
  ]
  return profiles.map(([name, profile]) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': profile } },
  }))
}

/** Nodes are emptied one broker after the other. A smallest number would hold up a node with the only broker for ever. */
function disruptionBudgetOf(values: Values): JsonObject {
  const minor = Number(/^v1\.(\d+)/.exec(values.kubernetes)?.[1])
  return brokerObject(values, {
    apiVersion: minor < 21 ? 'policy/v1beta1' : 'policy/v1',
    kind: 'PodDisruptionBudget',
    name: 'chandler',
    body: { spec: { maxUnavailable: 1, selector: { matchLabels: brokerLabels } } },
  })
}
