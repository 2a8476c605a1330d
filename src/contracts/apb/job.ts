/** One container run of a bundle: its arguments, what it finds, and what is read back. */
import { shortName, uuidOf } from '../../kit/hash.ts'
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { Secret } from '../../kit/secret.ts'
import type { ClusterSandbox, FileIn, Job, Want } from '../../model/job.ts'
import type { Situation } from '../../model/situation.ts'
import type { ApbAction } from './actions.ts'
import { argumentsOf } from './extra-vars.ts'
import type { InstanceMemory } from './memory.ts'
import { notesOf } from './notes.ts'
import { limitsOf, type Options } from './options.ts'
import { secretFiles } from './secrets.ts'

const stateFolder = '/etc/apb/state'
const terminationLog = '/dev/termination-log'
/** Of a longer message its end is told. */
const terminationBytesMax = 256 * 1024
/** A test result or credentials that are printed. */
const answerEverySeconds = 1

/** Names of what is wanted back. */
export const wanted = {
  termination: 'termination-message',
  cluster: 'cluster',
  credentials: 'credentials',
  testResult: 'test-result',
} as const

/** Runs an action with its variables. */
export function actionJob(
  action: ApbAction,
  situation: Situation,
  around: {
    readonly vars: JsonObject
    readonly namespace: string
    readonly memory: InstanceMemory
    readonly options: Options
  },
): Job {
  const { vars, namespace, memory, options } = around
  const { reference, runtime } = notesOf(situation.package)
  const cluster = targetCluster(situation, options)
  const token = new Secret(Buffer.from(situation.random(32)).toString('base64url'))
  const sandbox = { ...sandboxOf(action, situation, namespace, memory), token, ...present({ cluster }) }
  const given = [...secretFiles(situation.infrastructure), ...stateFiles(memory)]
  return {
    program: { kind: 'image', reference, digest: situation.package.digest },
    steps: [
      {
        name: 'apb',
        command: { kind: 'entrypoint', arguments: argumentsOf(action, vars) },
        environment: environmentOf(sandbox, memory, options),
        streams: { kind: 'merged' },
      },
    ],
    files: [{ path: terminationLog, mode: 0o666, owner: 'user', readOnly: false, content: empty }, ...given],
    folders: [],
    wants: wantsOf(action, runtime),
    needs: { cluster: memory.cluster ?? 'stand-in', network: 'default', readOnlyRoot: false },
    sandbox,
    // With it a reader of its log could act in its place while it runs.
    secrets: [token],
    limits: limitsOf(options, action),
    // What is the same for all orders is the image, the limits, and which files there are.
    late: {
      files: given.flatMap(({ path, content }) => (content.kind === 'link' ? [] : [path])),
      words: true,
    },
  }
}

const empty = { kind: 'bytes', bytes: new Uint8Array() } as const

/** Names are derived from the run, so that it is found again, and leave what a namespace name can hold. */
function sandboxOf(
  action: ApbAction,
  { operation, service }: Situation,
  target: string,
  { state, objects }: InstanceMemory,
): ClusterSandbox {
  const run = [operation.id, String(operation.stage), String(operation.attempt)]
  const name = service.name.toLowerCase().replace(/[^a-z0-9-]+/g, '-')
  const pod = `bundle-${uuidOf('apb', ...run)}`
  return {
    pod,
    namespace: `${name.slice(0, 51).replace(/^-+|-+$/g, '') || 'bundle'}-${action.slice(0, 4)}-${shortName(run.join('/'), 5)}`,
    target,
    labels: { 'bundle-fqname': service.name, 'bundle-action': action, 'bundle-pod-name': pod },
    ...present({ state, objects }),
  }
}

/** Names of what the operator lends for it; they have no slash, so bundles see nothing of them. */
export const clusterToken = 'target-cluster-token'
const clusterAuthority = 'target-cluster-ca'

/** The cluster that has the target namespace, if the operator names one. */
function targetCluster(
  { infrastructure }: Situation,
  { targetCluster: given }: Options,
): ClusterSandbox['cluster'] {
  if (given === undefined) return undefined
  const { [clusterToken]: token = '', [clusterAuthority]: authority } = infrastructure
  return {
    ...given,
    token: token instanceof Secret ? token : new Secret(token),
    ...present({ authority: authority instanceof Secret ? authority.reveal() : authority }),
  }
}

function environmentOf(
  { pod, namespace }: ClusterSandbox,
  { state }: InstanceMemory,
  { proxy }: Options,
): Readonly<Record<string, string>> {
  return {
    POD_NAME: pod,
    POD_NAMESPACE: namespace,
    ...(state === undefined ? {} : { BUNDLE_STATE_LOCATION: stateFolder }),
    ...(proxy === undefined ? {} : proxyVariables(proxy)),
  }
}

/** All six or none: images read the one spelling or the other. */
function proxyVariables({
  http,
  https,
  no,
}: NonNullable<Options['proxy']>): Readonly<Record<string, string>> {
  return {
    HTTP_PROXY: http,
    HTTPS_PROXY: https,
    NO_PROXY: no,
    http_proxy: http,
    https_proxy: https,
    no_proxy: no,
  }
}

function stateFiles({ state = {} }: InstanceMemory): readonly FileIn[] {
  return Object.entries(state).map(([key, text]) => ({
    path: `${stateFolder}/${key}`,
    mode: 0o444,
    owner: 'root',
    readOnly: true,
    content: { kind: 'bytes', bytes: new TextEncoder().encode(text) },
  }))
}

/** Images of runtime 1 print their credentials when they are asked while they still run. */
function wantsOf(action: ApbAction, runtime: number): readonly Want[] {
  const asks: readonly Want[] = [
    ...(runtime === 1 && (action === 'provision' || action === 'bind' || action === 'update')
      ? [ask(wanted.credentials, 'broker-bind-creds')]
      : []),
    ...(action === 'test' ? [ask(wanted.testResult, 'test-retrieval')] : []),
  ]
  return [
    { kind: 'file', name: wanted.termination, path: terminationLog, bytesMax: terminationBytesMax },
    { kind: 'cluster-objects', name: wanted.cluster },
    ...asks,
  ]
}

function ask(name: string, program: string): Want {
  return { kind: 'ask', name, argv: [program], everySeconds: answerEverySeconds }
}
