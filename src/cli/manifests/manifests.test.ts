/** Manifests of a broker in a cluster: what values become. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { image, valuesFile } from '../../../test/support/manifest-values.ts'
import { runCommand } from '../../../test/support/run-command.ts'
import { at } from '../../kit/json.ts'
import { loadSettings } from '../../settings/load.ts'
import { register } from '../commands/manifests.ts'
import { valuesTable } from './values.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('the same values give the same bytes', async () => {
  const file = valuesFile(image)
  const first = await runCommand(register, ['manifests', file])
  vi.restoreAllMocks()

  expect(await runCommand(register, ['manifests', file])).toBe(first)
})

test('the file of all values names each of them, and its defaults are theirs', async () => {
  const own = 'deploy/kubernetes/values.yml'
  const text = readFileSync(own, 'utf8')
  const [written, least] = [await objectsOf(text), await objectsOf(image)]
  const differs = (key: string) => written.get(key)?.text !== least.get(key)?.text
  const named = Object.entries(valuesTable.members).flatMap(([name, node]) =>
    node.kind === 'group' && name !== 'configuration' ? [name, ...Object.keys(node.members)] : [name],
  )

  expect(named.filter((name) => !new RegExp(`\\b${name}:`).test(text))).toEqual([])
  // It has accounts and something to offer besides.
  expect([...written.keys()].filter(differs)).toEqual(['ConfigMap chandler', 'Deployment chandler'])
})

describe('what values become', () => {
  interface Row {
    readonly what: string
    readonly values: string
    readonly object: string
    readonly path: string
    readonly becomes: unknown
  }

  const pod = '/spec/template/spec'
  const container = `${pod}/containers/0`
  const rows: readonly Row[] = [
    [
      'image',
      `image: r.example:5000/a/b@sha256:${'a'.repeat(64)}`,
      `${container}/image`,
      `r.example:5000/a/b@sha256:${'a'.repeat(64)}`,
    ],
    ['replicas', `${image}replicas: 3`, '/spec/replicas', 3],
    ['pull secrets', `${image}pullSecrets: [one]`, `${pod}/imagePullSecrets`, [{ name: 'one' }]],
    [
      'memory',
      `${image}resources: {memory: 1Gi}`,
      `${container}/resources/requests`,
      { cpu: '250m', memory: '1Gi' },
    ],
    ['room', `${image}storage: {size: 1Gi}`, `${pod}/volumes/1/emptyDir/sizeLimit`, '1Gi'],
    [
      'time to end, with what leads to it and what follows',
      `${image}drain: 2m`,
      `${pod}/terminationGracePeriodSeconds`,
      150,
    ],
    ['time to start', `${image}startTimeout: 10m`, `${container}/startupProbe/failureThreshold`, 300],
    ['no variables of Services', image, `${pod}/enableServiceLinks`, false],
    ['a group that root hands Secrets to', image, `${pod}/securityContext/fsGroup`, 65532],
    ['Secrets that others cannot read', image, `${pod}/volumes/3/secret/defaultMode`, 0o440],
  ].map(
    ([what, values, path, becomes]) =>
      ({ what, values, object: 'Deployment chandler', path, becomes }) as Row,
  )
  const more: readonly Row[] = [
    {
      what: 'a budget of an old cluster',
      values: `${image}kubernetes: v1.20.2`,
      object: 'PodDisruptionBudget chandler',
      path: '/apiVersion',
      becomes: 'policy/v1beta1',
    },
    {
      what: 'a budget of another',
      values: `${image}kubernetes: v1.21`,
      object: 'PodDisruptionBudget chandler',
      path: '/apiVersion',
      becomes: 'policy/v1',
    },
    {
      what: 'the profile of brokers',
      values: image,
      object: 'Namespace chandler',
      path: '/metadata/labels',
      becomes: { 'pod-security.kubernetes.io/enforce': 'restricted' },
    },
    {
      what: 'the profile of runs',
      values: `${image}runs: {namespace: runs}`,
      object: 'Namespace runs',
      path: '/metadata/labels',
      becomes: { 'pod-security.kubernetes.io/enforce': 'baseline' },
    },
    {
      what: 'a role of a further namespace',
      values: `${image}runs: {furtherNamespaces: [acme]}\nconfiguration: {tenants: [{name: acme, engine: kubernetes/acme}]}`,
      object: 'RoleBinding acme/chandler-runs',
      path: '/subjects/0/namespace',
      becomes: 'chandler',
    },
    {
      what: 'the right to write Secrets of bindings',
      values: `${image}bindingSecrets: {namespaces: [shop]}`,
      object: 'Role shop/chandler-binding-secrets',
      path: '/rules/0/verbs',
      becomes: ['get', 'create', 'update', 'delete'],
    },
    {
      what: 'the right to ask what users may do',
      values: `${image}namespace: own\nconfiguration: {auth: {users: [{name: k8s, role: platform, password_file: /run/secrets/a/b, access_review: create access.example}]}}`,
      object: 'ClusterRole chandler-access-reviews-own',
      path: '/rules/0/resources',
      becomes: ['subjectaccessreviews'],
    },
    {
      what: 'a port with TLS',
      values: `${image}tls: {secret: cert}`,
      object: 'Service chandler',
      path: '/spec/ports/0',
      becomes: { name: 'https', port: 443, targetPort: 'main' },
    },
    {
      what: 'an address from outside',
      values: `${image}service: {type: LoadBalancer, annotations: {a: 'on'}}`,
      object: 'Service chandler',
      path: '/metadata/annotations',
      becomes: { a: 'on' },
    },
    {
      what: 'no source: all may call',
      values: image,
      object: 'NetworkPolicy chandler',
      path: '/spec/ingress',
      becomes: [{ ports: [{ port: 'main', protocol: 'TCP' }] }],
    },
    {
      what: 'sources',
      values: `${image}ingress: {namespaceLabels: {team: a}, addresses: [192.0.2.0/24]}`,
      object: 'NetworkPolicy chandler',
      path: '/spec/ingress/0/from',
      becomes: [{ namespaceSelector: { matchLabels: { team: 'a' } } }, { ipBlock: { cidr: '192.0.2.0/24' } }],
    },
    {
      what: 'who may ask for figures',
      values: `${image}monitoring: {namespaceLabels: {team: m}}`,
      object: 'NetworkPolicy chandler',
      path: '/spec/ingress/1',
      becomes: {
        ports: [{ port: 'admin', protocol: 'TCP' }],
        from: [{ namespaceSelector: { matchLabels: { team: 'm' } } }],
      },
    },
    {
      what: 'a monitor',
      values: `${image}monitoring: {serviceMonitor: true, labels: {release: p}}`,
      object: 'ServiceMonitor chandler',
      path: '/metadata/labels/release',
      becomes: 'p',
    },
  ]

  test.each([...rows, ...more])('$what', async ({ values, object, path, becomes }) => {
    expect(at((await objectsOf(values)).get(object)?.value, path)).toEqual(becomes)
  })

  test.each([
    ['no ServiceMonitor', image, /^ServiceMonitor/],
    ['no right to ask what users may do', image, /^ClusterRole/],
    ['no namespaces', `${image}createNamespaces: false`, /^Namespace/],
  ])('%s unless it is asked for', async (_what, values, kind) => {
    expect([...(await objectsOf(values)).keys()].filter((key) => kind.test(key))).toEqual([])
  })

  test('another configuration is rolled out, and the same is not', async () => {
    const mark = async (text: string) =>
      at(
        (await objectsOf(image + text)).get('Deployment chandler')?.value,
        '/spec/template/metadata/annotations',
      )
    const [one, same, other] = [
      await mark('configuration: {logs: {level: warn}}'),
      await mark('replicas: 3\nconfiguration: {logs: {level: warn}}'),
      await mark('configuration: {logs: {level: debug}}'),
    ]

    expect(same).toEqual(one)
    expect(other).not.toEqual(one)
  })

  test('a reader of YAML 1.1 reads the same', async () => {
    const labels = { a: 'on', b: '1_000', c: '12:30:45', d: 'yes', e: '017', f: '2026-01-01', g: 'null' }
    const file = valuesFile(`${image}monitoring: {serviceMonitor: true, labels: ${JSON.stringify(labels)}}`)
    const text = await runCommand(register, ['manifests', file])
    const read = parseAllDocuments(text, { version: '1.1' }).map((one) => one.toJS() as object)

    expect(text).not.toMatch(/[&*]a\d/)
    expect(read.find((one) => at(one, '/kind') === 'ServiceMonitor')).toMatchObject({ metadata: { labels } })
  })
})

test('a broker takes what its pod gives it: the configuration and the variables', async () => {
  const objects = await objectsOf(readFileSync('deploy/kubernetes/values.yml', 'utf8'))
  const folder = mkdtempSync(join(tmpdir(), 'chandler-manifests-'))
  for (const name of ['platform', 'admin']) writeFileSync(join(folder, name), 'a-long-password')
  const file = join(folder, 'chandler.yml')
  const configuration = at(objects.get('ConfigMap chandler')?.value, '/data/chandler.yml') as string
  writeFileSync(file, configuration.replaceAll('/run/secrets/chandler-accounts', folder))
  const given = at(
    objects.get('Deployment chandler')?.value,
    '/spec/template/spec/containers/0/env',
  ) as readonly {
    readonly name: string
    readonly value?: string
  }[]
  const told: Readonly<Record<string, string>> = {
    CHANDLER_STORE_URL: 'postgres://database/chandler',
    POD_NAME: 'chandler-0',
  }
  const environment = Object.fromEntries(given.map(({ name, value }) => [name, value ?? told[name]]))
  const loaded = loadSettings({ folder, file, environment })

  expect(loaded).toMatchObject({
    kind: 'settings',
    warnings: [],
    settings: {
      engine: 'kubernetes',
      kubernetes: { namespace: 'chandler-runs' },
      node: { name: 'chandler-0' },
      shutdown: { drain: 60_000, drainDelay: 10_000 },
    },
  })
})

test('the role is the one that a broker outside of the cluster gets', async () => {
  const [, role] = parseAllDocuments(readFileSync('deploy/kubernetes/role.yaml', 'utf8'))
  const policies = parseAllDocuments(readFileSync('deploy/kubernetes/network-policy.yaml', 'utf8'))
  const objects = await objectsOf(image)

  expect(objects.get('Role chandler-runs/chandler-runs')?.value).toMatchObject({ rules: role?.toJS().rules })
  for (const policy of policies.map((one) => one.toJS()))
    expect(objects.get(`NetworkPolicy chandler-runs/${policy.metadata.name}`)?.value).toMatchObject({
      spec: policy.spec,
    })
})

test('targets of sandboxes bring the roles that a broker outside of the cluster gets, and nothing else does', async () => {
  const written = parseAllDocuments(readFileSync('deploy/kubernetes/sandboxes.yaml', 'utf8')).map((one) =>
    one.toJS(),
  )
  const least = await objectsOf(image)
  const objects = await objectsOf(`${image}configuration: {kubernetes: {sandboxes: {targets: [databases]}}}`)
  const added = [...objects].filter(([key]) => !least.has(key)).map(([, { value }]) => value)

  expect(added).toEqual(written)
})

test('a role of your own is what the broker may bind, and it may read the Secrets that images are pulled with', async () => {
  const objects = await objectsOf(
    `${image}runs: {pullSecrets: [pull]}\nconfiguration: {kubernetes: {sandboxes: {targets: [a, b], role: web}}}`,
  )

  expect(
    at(objects.get('ClusterRole chandler-sandboxes-chandler')?.value, '/rules/2/resourceNames'),
  ).toContain('web')
  expect(objects.has('RoleBinding b/chandler-target-chandler')).toBe(true)
  expect(at(objects.get('Role chandler-runs/chandler-pull-secrets')?.value, '/rules')).toEqual([
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['pull'], verbs: ['get'] },
  ])
})

test('a password of a file that lies in the pod is none', async () => {
  const text = `${image}configuration: {auth: {users: [{name: a, role: admin, password_file: /nowhere/a}]}}`

  expect((await objectsOf(text)).size).toBeGreaterThan(8)
})

/** What a broker may do under the pod security profile restricted, as far as its pod says it. */
test('pods of brokers fit the profile restricted', async () => {
  const spec = at(
    (await objectsOf(`${image}tls: {secret: cert}`)).get('Deployment chandler')?.value,
    '/spec/template/spec',
  )
  const volumes = at(spec, '/volumes') as readonly object[]

  expect(spec).toMatchObject({
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [{ securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
  })
  expect(spec).not.toMatchObject({ hostNetwork: expect.anything() })
  expect(new Set(volumes.flatMap((one) => Object.keys(one).filter((key) => key !== 'name')))).toEqual(
    new Set(['configMap', 'emptyDir', 'secret']),
  )
})

interface Made {
  readonly text: string
  readonly value: unknown
}

/** By kind and name; those of the namespaces of runs also by the namespace. */
async function objectsOf(values: string): Promise<ReadonlyMap<string, Made>> {
  const printed = await runCommand(register, ['manifests', valuesFile(values)])
  vi.restoreAllMocks()
  return new Map(
    printed.split('---\n').map((text) => {
      const value = parse(text) as { kind: string; metadata: { name: string; namespace?: string } }
      const { name, namespace = 'chandler' } = value.metadata
      return [`${value.kind} ${namespace === 'chandler' ? '' : `${namespace}/`}${name}`, { text, value }]
    }),
  )
}
