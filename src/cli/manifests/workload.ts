/** The pods of a broker: how they start, when they are asked, how they end, and what they may. */
import { sha256 } from '../../kit/hash.ts'
import type { Json, JsonObject } from '../../kit/json.ts'
import { writeYaml } from '../../kit/yaml.ts'
import { brokerLabels, brokerObject } from './object.ts'
import type { Values } from './values.ts'

/** The user that the image is made for. */
const user = 65532
const ports = { main: 8080, admin: 9090 }

/** How long readiness says no before connections close: what leads to the broker needs that to notice. */
const drainDelay = 10
/** What is left between the end of all requests and the moment when the kubelet kills. */
const lastWords = 20

/** The configuration as it was written; what the manifests decide comes by variables, which go before. */
export function configurationOf(values: Values): JsonObject {
  return brokerObject(values, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'chandler',
    body: { data: { 'chandler.yml': writeYaml(values.configuration) } },
  })
}

/**
 * Brokers of one version and the next run side by side, so that a new one is ready before an old one ends. The first of a new version
 * brings the database forward while the others wait: only the startup probe knows how long that may take.
 */
export function deploymentOf(values: Values, configuration: JsonObject): JsonObject {
  const starts = values.startTimeout / 1000
  return brokerObject(values, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'chandler',
    body: {
      spec: {
        replicas: values.replicas,
        selector: { matchLabels: brokerLabels },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        minReadySeconds: 5,
        progressDeadlineSeconds: starts + 600,
        template: {
          metadata: {
            labels: brokerLabels,
            // Another configuration is another template, which is rolled out.
            annotations: { 'chandler.io/configuration': sha256(JSON.stringify(configuration)) },
          },
          spec: podOf(values),
        },
      },
    },
  })
}

function podOf(values: Values): JsonObject {
  const { pullSecrets, drain, storage } = values
  return {
    serviceAccountName: 'chandler',
    automountServiceAccountToken: true,
    // A Service named chandler would become variables that look like settings.
    enableServiceLinks: false,
    ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      // The group that root hands Secrets to.
      fsGroup: user,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    terminationGracePeriodSeconds: Math.ceil(drain / 1000) + drainDelay + lastWords,
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: brokerLabels },
      },
    ],
    containers: [containerOf(values)],
    volumes: [
      { name: 'configuration', configMap: { name: 'chandler' } },
      { name: 'data', emptyDir: { sizeLimit: storage.size } },
      { name: 'tmp', emptyDir: { sizeLimit: '1Gi' } },
      ...secretsOf(values).map(({ volume, secretName, items }) => ({
        name: volume,
        secret: { secretName, defaultMode: 0o440, ...(items ? { items } : {}) },
      })),
    ],
  }
}

function containerOf(values: Values): JsonObject {
  const { image, resources, startTimeout } = values
  const { cpu, memory, memoryLimit } = resources
  const probe = (path: string, periodSeconds: number, failureThreshold: number): JsonObject => ({
    httpGet: { path, port: 'admin' },
    periodSeconds,
    timeoutSeconds: Math.min(periodSeconds, 5),
    failureThreshold,
  })
  return {
    name: 'chandler',
    image,
    env: variablesOf(values),
    ports: Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort })),
    startupProbe: probe('/startupz', 2, Math.ceil(startTimeout / 2000)),
    livenessProbe: probe('/livez', 10, 6),
    readinessProbe: probe('/readyz', 3, 2),
    resources: { requests: { cpu, memory }, limits: { memory: memoryLimit } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'configuration', mountPath: '/etc/chandler', readOnly: true },
      { name: 'data', mountPath: '/var/lib/chandler' },
      { name: 'tmp', mountPath: '/tmp' },
      ...secretsOf(values).map(({ volume, path }) => ({ name: volume, mountPath: path, readOnly: true })),
    ],
  }
}

interface MountedSecret {
  readonly volume: string
  readonly secretName: string
  readonly path: string
  readonly items?: readonly Json[]
}

/** Whole folders, for single files would not follow what the Secret says later. */
function secretsOf({ keyRing, tls, secrets }: Values): readonly MountedSecret[] {
  const keys = { volume: 'key-ring', secretName: keyRing.secret, path: '/run/secrets/key-ring' }
  const certificate = tls.secret
  return [
    { ...keys, items: [{ key: keyRing.key, path: 'keys.json' }] },
    ...(certificate === undefined
      ? []
      : [{ volume: 'tls', secretName: certificate, path: '/run/secrets/tls' }]),
    ...secrets.map((secretName, i) => ({
      volume: `secret-${i}`,
      secretName,
      path: `/run/secrets/${secretName}`,
    })),
  ]
}

/** Settings that follow from the manifests themselves. */
function variablesOf(values: Values): readonly Json[] {
  const { runs, tls, database, drain } = values
  const settings: Readonly<Record<string, string | undefined>> = {
    HTTP_LISTEN: `0.0.0.0:${ports.main}`,
    HTTP_ADMIN_LISTEN: `0.0.0.0:${ports.admin}`,
    HTTP_TLS_CERTIFICATE_FILE: tls.secret && '/run/secrets/tls/tls.crt',
    HTTP_TLS_KEY_FILE: tls.secret && '/run/secrets/tls/tls.key',
    // The broker makes its folder its own, which that of the volume cannot become: it belongs to root.
    DATA_DIR: '/var/lib/chandler/data',
    SECRETS_KEYRING: '/run/secrets/key-ring/keys.json',
    SHUTDOWN_DRAIN: `${Math.ceil(drain / 1000)}s`,
    SHUTDOWN_DRAIN_DELAY: `${drainDelay}s`,
    ENGINE: 'kubernetes',
    KUBERNETES_NAMESPACE: runs.namespace,
    KUBERNETES_HELPER: runs.helper,
    KUBERNETES_REGISTRY: runs.registry,
    KUBERNETES_PULL_SECRETS: runs.pullSecrets.length === 0 ? undefined : runs.pullSecrets.join(','),
  }
  const { secret: name, key } = database
  return [
    ...Object.entries(settings).flatMap(([setting, value]) =>
      value === undefined ? [] : [{ name: `CHANDLER_${setting}`, value }],
    ),
    { name: 'CHANDLER_STORE_URL', valueFrom: { secretKeyRef: { name, key } } },
    // The name of the node in the broker's cluster.
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ]
}
