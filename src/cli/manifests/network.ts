/** From where a broker and its runs are reached: Services, network policies, and what Prometheus looks for. */
import type { Json, JsonObject } from '../../kit/json.ts'
import { brokerLabels, brokerObject } from './object.ts'
import type { Values } from './values.ts'

/** Services and policies. Figures have a Service of their own: an address from outside for platforms must not lead to them. */
export function networkObjects(values: Values): readonly JsonObject[] {
  const { service, tls, runs, monitoring } = values
  const isEncrypted = tls.secret !== undefined
  const port = { name: isEncrypted ? 'https' : 'http', port: isEncrypted ? 443 : 80, targetPort: 'main' }
  return [
    ...[runs.namespace, ...runs.furtherNamespaces].flatMap(policiesOfRuns),
    policyOfBroker(values),
    brokerObject(values, {
      apiVersion: 'v1',
      kind: 'Service',
      name: 'chandler',
      annotations: service.annotations,
      body: { spec: { type: service.type, selector: brokerLabels, ports: [port] } },
    }),
    brokerObject(values, {
      apiVersion: 'v1',
      kind: 'Service',
      name: 'chandler-admin',
      labels: { 'chandler.io/service': 'admin' },
      body: {
        spec: {
          clusterIP: 'None',
          selector: brokerLabels,
          ports: [{ name: 'admin', port: 9090, targetPort: 'admin' }],
        },
      },
    }),
    ...(monitoring.serviceMonitor ? [monitorOf(values)] : []),
  ]
}

/** Runs that need no network get none, and nothing calls any run. */
function policiesOfRuns(namespace: string): readonly JsonObject[] {
  const ofRuns = { 'app.kubernetes.io/managed-by': 'chandler' }
  const policy = (name: string, labels: JsonObject, policyTypes: readonly string[]): JsonObject => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace },
    spec: { podSelector: { matchLabels: labels }, policyTypes },
  })
  return [
    policy('chandler-runs-without-network', { ...ofRuns, 'chandler.io/network': 'none' }, [
      'Ingress',
      'Egress',
    ]),
    policy('chandler-runs', ofRuns, ['Ingress']),
  ]
}

/** What a broker calls itself is not bounded here: database, API server, registries and identity providers lie anywhere. */
function policyOfBroker(values: Values): JsonObject {
  const { ingress, monitoring } = values
  const from: readonly Json[] = [
    ...namespaces(ingress.namespaceLabels),
    ...ingress.addresses.map((cidr) => ({ ipBlock: { cidr } })),
  ]
  const watchers = namespaces(monitoring.namespaceLabels)
  return brokerObject(values, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    name: 'chandler',
    body: {
      spec: {
        podSelector: { matchLabels: brokerLabels },
        policyTypes: ['Ingress'],
        ingress: [
          // The protocol is said, for a server that adds it would find a change each time. A rule without sources takes all of them.
          { ports: [{ port: 'main', protocol: 'TCP' }], ...(from.length === 0 ? {} : { from }) },
          ...(watchers.length === 0 ? [] : [{ ports: [{ port: 'admin', protocol: 'TCP' }], from: watchers }]),
        ],
      },
    },
  })
}

function namespaces(matchLabels: JsonObject): readonly Json[] {
  return Object.keys(matchLabels).length === 0 ? [] : [{ namespaceSelector: { matchLabels } }]
}

function monitorOf(values: Values): JsonObject {
  return brokerObject(values, {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    name: 'chandler',
    labels: values.monitoring.labels,
    body: {
      spec: {
        selector: { matchLabels: { ...brokerLabels, 'chandler.io/service': 'admin' } },
        endpoints: [{ port: 'admin', path: '/metrics', interval: '30s' }],
      },
    },
  })
}
