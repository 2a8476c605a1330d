/** The values that manifests are made from: what they are, and everything that is wrong with those of a file. */
import { referenceCheck } from '../../host/reference-check.ts'
import { isObject, type JsonObject, pointer } from '../../kit/json.ts'
import { failAll, type Place, type Problem } from '../../model/problem.ts'
import { readLayer } from '../../settings/files.ts'
import {
  choice,
  duration,
  flag,
  group,
  integer,
  type Node,
  object,
  optional,
  text,
  texts,
  type ValueOf,
} from '../../settings/kinds.ts'
import type { Layer } from '../../settings/layer.ts'
import { contradictions } from '../../settings/load.ts'
import { snake } from '../../settings/names.ts'
import { type Entry, readTable } from '../../settings/read.ts'
import { type Settings, settingsTable } from '../../settings/settings.ts'

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const objectName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/
const image = /^[\w.-]+(:\d+)?(\/[\w.-]+)+(:[\w.-]+)?(@sha256:[0-9a-f]{64})?$/

const namespace = (doc: string, fallback: string) =>
  text({ doc, fallback, pattern: label, written: 'a namespace' })
const secretName = (doc: string, fallback: string) =>
  text({ doc, fallback, pattern: objectName, written: 'the name of a Secret' })
const secretKey = (fallback: string) =>
  text({ doc: 'The key in the Secret.', fallback, pattern: /^[\w.-]+$/, written: 'a key of a Secret' })
const names = (doc: string) =>
  texts({ doc, fallback: [], pattern: objectName, written: 'the name of an object' })
const memory = (doc: string, fallback: string) =>
  text({ doc, fallback, pattern: /^[1-9]\d*[MG]i$/, written: '512Mi or 1Gi' })
const labels = (doc: string) => object({ doc, fallback: {} })

/** All values. */
export const valuesTable = group('', {
  image: text({
    doc: 'The image of the broker, where the nodes pull it from.',
    pattern: image,
    written: 'HOST/FOLDER:TAG or HOST/FOLDER@sha256:…',
  }),
  pullSecrets: names('Secrets that the image of the broker is pulled with.'),
  kubernetes: text({
    doc: 'The oldest version of the cluster that the manifests must fit, as `kubectl version` tells it.',
    fallback: 'v1.21',
    pattern: /^v1\.(19|[2-9]\d)(\.\d+)?$/,
    written: 'v1.19 or newer',
  }),
  namespace: namespace('Where the broker runs; it fits the pod security profile restricted.', 'chandler'),
  createNamespaces: flag({ doc: 'Whether the namespaces are among the manifests.', fallback: true }),
  replicas: integer({ doc: 'How many brokers.', fallback: 2, least: 1, most: 100 }),
  runs: group('Where packages run.', {
    namespace: namespace('Where pods of packages are made; it has the profile baseline.', 'chandler-runs'),
    furtherNamespaces: texts({
      doc: 'Namespaces of tenants with an engine of their own (`kubernetes/NAMESPACE`).',
      fallback: [],
      pattern: label,
      written: 'a namespace',
    }),
    helper: optional(
      text({ doc: '`kubernetes.helper` of the broker.', pattern: image, written: 'HOST/FOLDER:TAG' }),
    ),
    registry: optional(settingsTable.members.kubernetes.members.registry),
    pullSecrets: names('`kubernetes.pullSecrets` of the broker.'),
  }),
  bindingSecrets: group('Secrets that hold what bindings give, for accounts with `bindingSecrets`.', {
    namespaces: texts({
      doc: 'Namespaces in which the broker may write and remove them; it may read the Secrets there, too.',
      fallback: [],
      pattern: label,
      written: 'a namespace',
    }),
  }),
  database: group('The Secret with the URL of PostgreSQL.', {
    secret: secretName('Its name.', 'chandler-database'),
    key: secretKey('url'),
  }),
  keyRing: group('The Secret with the key ring.', {
    secret: secretName('Its name.', 'chandler-keys'),
    key: secretKey('keys.json'),
  }),
  secrets: names('Further Secrets that the broker finds as /run/secrets/NAME: passwords, certificates.'),
  tls: group('Encrypts the main address.', {
    secret: optional(
      text({
        doc: 'A Secret of the type kubernetes.io/tls; plain HTTP when absent.',
        pattern: objectName,
        written: 'the name of a Secret',
      }),
    ),
  }),
  service: group('The Service that platforms call.', {
    type: choice(['ClusterIP', 'NodePort', 'LoadBalancer'], { doc: 'Its type.', fallback: 'ClusterIP' }),
    annotations: labels('Its annotations.'),
  }),
  ingress: group('From where the main address may be called; from everywhere when nothing is said.', {
    namespaceLabels: labels('Labels of namespaces.'),
    addresses: texts({
      doc: 'Addresses and networks outside of the cluster.',
      fallback: [],
      pattern: /^[0-9a-f.:]+\/\d{1,3}$/i,
      written: 'a network such as 192.0.2.0/24',
    }),
  }),
  monitoring: group('Figures for Prometheus.', {
    serviceMonitor: flag({ doc: 'Whether a ServiceMonitor is made.', fallback: false }),
    labels: labels('Labels of the ServiceMonitor, by which your Prometheus finds it.'),
    namespaceLabels: labels('Labels of the namespaces that may ask for figures; none may when empty.'),
  }),
  resources: group('What a broker gets of its node.', {
    cpu: text({
      doc: 'Requested of processors.',
      fallback: '250m',
      pattern: /^[1-9]\d*m$/,
      written: '250m, in thousandths',
    }),
    memory: memory('Requested memory.', '512Mi'),
    memoryLimit: memory('Most memory.', '1Gi'),
  }),
  storage: group('The folder of packages and images; a broker that starts fetches them again.', {
    size: memory('Most room on the disk of the node; a pod that fills more is evicted.', '10Gi'),
  }),
  drain: duration({ doc: 'How long requests in flight may take when a broker ends.', fallback: '60s' }),
  startTimeout: duration({
    doc: 'How long a broker may take to start: the first of a new version brings the database forward.',
    fallback: '30m',
  }),
  configuration: {
    ...settingsTable,
    doc: 'The configuration of the broker, but for what the manifests decide.',
  },
})

/** Values without fault, with the configuration as it was written. */
export interface Values extends Omit<ValueOf<typeof valuesTable>, 'configuration'> {
  readonly configuration: JsonObject
  /** Whether users of the cluster are judged by the cluster (`accessReview`). */
  readonly judgesUsers: boolean
}

/** Settings that manifests decide, and the value that says them; the others are theirs alone. */
const decided: Readonly<Record<string, string>> = {
  'http.listen': '',
  'http.adminListen': '',
  'http.tls.certificateFile': 'tls.secret',
  'http.tls.keyFile': 'tls.secret',
  dataDir: '',
  engine: '',
  'store.url': 'database.secret',
  'secrets.keyring': 'keyRing.secret',
  'node.name': '',
  'kubernetes.kubeconfig': '',
  'kubernetes.context': '',
  'kubernetes.namespace': 'runs.namespace',
  'kubernetes.helper': 'runs.helper',
  'kubernetes.registry': 'runs.registry',
  'kubernetes.pullSecrets': 'runs.pullSecrets',
  'shutdown.drain': 'drain',
  'shutdown.drainDelay': '',
}

/** The values of a file. Problems, all at once: settings.invalid, file.unreadable. */
export function readValues(file: string): Values {
  const { layers, problems } = readLayer(file, 'file')
  failAll(problems)
  const [layer] = layers
  const raw = layer?.document['configuration']
  const configuration = isObject(raw) ? (raw as JsonObject) : {}
  const {
    value,
    entries,
    problems: unread,
  } = readTable(valuesTable, layers, {
    references: referenceCheck(defaultHostIn(configuration)),
    // Files that hold secrets lie in the pod, not here; two that are one hold the same.
    secretIn: (path) => path,
  })
  const values = value as ValueOf<typeof valuesTable>
  const faults = [
    ...unread,
    ...decidedElsewhere(entries),
    ...(layer ? openSecrets(layer, configuration) : []),
  ]
  failAll([
    ...faults,
    ...(unread.length > 0 ? [] : contradictionsOf(values, entries)),
    ...(faults.length > 0 ? [] : contradictions(values.configuration as Settings, ofConfiguration(entries))),
  ])
  const { users } = (values.configuration as Settings).auth
  const judgesUsers = users.some(({ accessReview }) => accessReview !== undefined)
  return { ...values, configuration, judgesUsers }
}

/** The entries of the configuration, as a broker names them. */
function ofConfiguration(entries: readonly Entry[]): readonly Entry[] {
  const start = 'configuration.'
  return entries
    .filter(({ path }) => path.startsWith(start))
    .map((entry) => ({ ...entry, path: entry.path.slice(start.length) }))
}

/** What stands in for the host that a package reference does not name. */
function defaultHostIn({ registries }: JsonObject): string | undefined {
  const said = isObject(registries) ? (registries['defaultHost'] ?? registries['default_host']) : undefined
  return typeof said === 'string' ? said : undefined
}

function decidedElsewhere(entries: readonly Entry[]): readonly Problem[] {
  return Object.entries(decided).flatMap(([setting, value]) => {
    const entry = entries.find(({ path }) => path === `configuration.${setting}`)
    if (entry?.place === undefined) return []
    const hint = value === '' ? 'Leave it out.' : `Say it by the value ${value}.`
    return [invalid(`the manifests decide ${setting}`, entry.place, hint)]
  })
}

/** A ConfigMap is no place for a secret: all accounts that may look at its namespace read it. */
function openSecrets(layer: Layer, configuration: JsonObject): readonly Problem[] {
  return secretsSaid(settingsTable, configuration, '/configuration').map((at) =>
    invalid(
      'a secret would stand in a ConfigMap',
      layer.place(at),
      'Put it into a Secret of `secrets`, and name its file: NAME_file: /run/secrets/SECRET/KEY.',
    ),
  )
}

function secretsSaid(node: Node, raw: unknown, at: string): readonly string[] {
  if (node.kind === 'leaf') return node.secret && raw !== null && raw !== undefined ? [at] : []
  if (node.kind === 'items') {
    return Array.isArray(raw) ? raw.flatMap((one, i) => secretsSaid(node.item, one, pointer(at, i))) : []
  }
  if (!isObject(raw)) return []
  return Object.entries(node.members).flatMap(([name, member]) =>
    [...new Set([name, snake(name)])].flatMap((key) => secretsSaid(member, raw[key], pointer(at, key))),
  )
}

/** Values that do not go together. */
function contradictionsOf(
  values: ValueOf<typeof valuesTable>,
  entries: readonly Entry[],
): readonly Problem[] {
  const { runs, resources, drain, ingress, monitoring, service } = values
  const at = (path: string, detail: string): Problem =>
    invalid(detail, entries.find((entry) => entry.path === path)?.place)
  const { operations, tenants } = values.configuration as Settings
  const { syncWait } = operations
  const all = [runs.namespace, ...runs.furtherNamespaces]
  const maps = {
    'ingress.namespaceLabels': ingress.namespaceLabels,
    'monitoring.namespaceLabels': monitoring.namespaceLabels,
    'monitoring.labels': monitoring.labels,
    'service.annotations': service.annotations,
  }
  return [
    ...(all.includes(values.namespace)
      ? [at('runs.namespace', 'packages must run in a namespace without the broker and its Secrets')]
      : []),
    ...(bytesOf(resources.memoryLimit) < bytesOf(resources.memory)
      ? [at('resources.memoryLimit', `must be at least resources.memory, ${resources.memory}`)]
      : []),
    ...(drain < syncWait + 5000
      ? [
          at(
            'drain',
            `must be at least 5 seconds more than operations.syncWait, ${syncWait / 1000}s: a request may wait that long`,
          ),
        ]
      : []),
    ...tenants.flatMap(({ name, engine }) => {
      const wanted = /^kubernetes\/(.+)$/.exec(engine ?? '')?.[1]
      return wanted === undefined || all.includes(wanted)
        ? []
        : [
            at(
              'configuration.tenants',
              `runs.furtherNamespaces lacks ${wanted}, where packages of ${name} run: the broker would have no rights there`,
            ),
          ]
    }),
    ...values.secrets
      .filter((name, i) => ['key-ring', 'tls'].includes(name) || values.secrets.indexOf(name) !== i)
      .map((name) => at('secrets', `two things would lie at /run/secrets/${name}`)),
    ...Object.entries(maps)
      .filter(([, map]) => Object.values(map).some((one) => typeof one !== 'string'))
      .map(([path]) => at(path, 'each must be a text: put numbers and true or false in quotes')),
  ]
}

/** Of `512Mi` or `1Gi`. */
function bytesOf(quantity: string): number {
  return Number.parseInt(quantity, 10) * (quantity.endsWith('Gi') ? 2 ** 30 : 2 ** 20)
}

function invalid(detail: string, where: Place | undefined, hint?: string): Problem {
  return { code: 'settings.invalid', detail, ...(where ? { where } : {}), ...(hint ? { hint } : {}) }
}
