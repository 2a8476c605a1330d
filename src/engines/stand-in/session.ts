/** What the API is to one run: its sandbox, its target namespace, its own pod, and nothing else. */
import { uuidOf } from '../../kit/hash.ts'
import type { JsonObject } from '../../kit/json.ts'
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { shorten } from '../../kit/text.ts'
import type { ClusterSandbox } from '../../model/job.ts'
import type { ClusterObjects } from '../../model/report.ts'
import { type Change, type ObjectKey, Objects, type Snapshot } from './objects.ts'

/** Where a program was told to look. */
export interface Place {
  readonly address: string
  readonly port: number
}

/** A real cluster that has the target namespace, as it is written down. */
export interface TargetClusterRecord {
  readonly server: string
  readonly authority?: string
  readonly token: string
  readonly allow: readonly string[]
}

/** A session as it is written down, so that a new process goes on where the last one was. */
export interface SessionRecord {
  readonly run: string
  readonly token: string
  /** Where its program was told to find the API; absent in what was written before there were others than 127.0.0.1. */
  readonly address?: string
  readonly port: number
  readonly sandbox: { readonly pod: string; readonly namespace: string; readonly target: string }
  /** Absent: the target namespace is the stand-in's, too. */
  readonly cluster?: TargetClusterRecord
  /** Milliseconds since 1970. */
  readonly openedAt: number
  readonly snapshot: Snapshot
  readonly unserved: readonly string[]
}

const unservedMax = 20
/** As long as a name of a cluster may be. */
const unservedLengthMax = 253

export class Session {
  readonly run: string
  readonly token: string
  readonly place: Place
  readonly sandbox: SessionRecord['sandbox']
  readonly cluster: TargetClusterRecord | undefined
  readonly openedAt: number
  readonly objects: Objects
  readonly #unserved: Set<string>
  readonly #watchers = new Set<(change: Change) => void>()

  constructor({ run, token, address, port, sandbox, cluster, openedAt, snapshot, unserved }: SessionRecord) {
    this.run = run
    this.token = token
    this.place = { address: address ?? '127.0.0.1', port }
    this.openedAt = openedAt
    this.sandbox = sandbox
    this.cluster = cluster
    this.objects = new Objects(snapshot)
    this.#unserved = new Set(unserved)
  }

  record(): SessionRecord {
    const { run, token, place, sandbox, cluster, openedAt } = this
    return {
      run,
      token,
      ...place,
      sandbox,
      ...present({ cluster }),
      openedAt,
      snapshot: this.objects.snapshot(),
      unserved: [...this.#unserved],
    }
  }

  /** Remembers what was asked for and is not there, so that the failure can name it. */
  miss(what: string): void {
    if (this.#unserved.size < unservedMax) this.#unserved.add(shorten(what, unservedLengthMax))
  }

  /** Tells watchers of a change. */
  tell(change: Change): void {
    for (const watcher of this.#watchers) watcher(change)
  }

  /** Called for each change until the answer is called. */
  watch(watcher: (change: Change) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** How many kinds were asked for in vain. */
  get missed(): number {
    return this.#unserved.size
  }

  /** How many calls are on their way to the cluster. */
  forwarded = 0

  get watching(): number {
    return this.#watchers.size
  }

  /** What the run left, for the contract that ordered it. */
  outcome(): ClusterObjects {
    const { pod, namespace, target } = this.sandbox
    const secret = member(this.objects.get({ resource: 'secrets', namespace, name: pod }), 'data')
    const state = member(this.objects.get({ resource: 'configmaps', namespace, name: pod }), 'data')
    const metadata = member(this.objects.get({ resource: 'pods', namespace, name: pod }), 'metadata')
    const left = this.objects.snapshot().objects.filter(({ key }) => key.namespace === target)
    return {
      kind: 'cluster-objects',
      annotations: texts(member(metadata, 'annotations') ?? {}),
      unserved: [...this.#unserved],
      ...(secret === undefined ? {} : { secret: decoded(secret) }),
      ...(state === undefined ? {} : { state: texts(state) }),
      objects: new TextEncoder().encode(JSON.stringify(left)),
    }
  }
}

/** The objects that a run finds: its pod, the account it works under, its state, and what earlier runs left. */
export function firstSnapshot(run: string, sandbox: ClusterSandbox, image: string, now: number): Snapshot {
  const { pod, namespace, target, labels, state, objects } = sandbox
  const created = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z')
  const key = (resource: string, of: string, name: string): ObjectKey => ({ resource, namespace: of, name })
  const meta = (at: ObjectKey, more: JsonObject = {}): JsonObject => ({
    name: at.name,
    ...(at.namespace === '' ? {} : { namespace: at.namespace }),
    uid: uuidOf(run, at.resource, at.namespace, at.name),
    resourceVersion: '1',
    creationTimestamp: created,
    ...more,
  })
  const made = (at: ObjectKey, kind: string, rest: JsonObject, more: JsonObject = {}) => ({
    key: at,
    object: { apiVersion: 'v1', kind, metadata: meta(at, more), ...rest },
  })
  const places = [...new Set([namespace, target])]
  return {
    version: 1,
    objects: [
      made(
        key('pods', namespace, pod),
        'Pod',
        {
          spec: { containers: [{ name: 'apb', image }], serviceAccountName: pod, restartPolicy: 'Never' },
          status: { phase: 'Running' },
        },
        present({ labels }),
      ),
      made(key('serviceaccounts', namespace, pod), 'ServiceAccount', {}),
      made(key('serviceaccounts', namespace, 'default'), 'ServiceAccount', {}),
      ...places.map((name) =>
        made(
          key('namespaces', '', name),
          'Namespace',
          { status: { phase: 'Active' } },
          name === target ? {} : present({ labels }),
        ),
      ),
      ...(state === undefined
        ? []
        : [made(key('configmaps', namespace, pod), 'ConfigMap', { data: { ...state } })]),
      ...leftBefore(objects),
    ],
  }
}

/** Written by `outcome` and by nothing else. */
function leftBefore(objects: Uint8Array | undefined): Snapshot['objects'] {
  return objects === undefined ? [] : (JSON.parse(new TextDecoder().decode(objects)) as Snapshot['objects'])
}

function member(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = object?.[name]
  return isObject(value) ? (value as JsonObject) : undefined
}

function texts(object: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, String(value)]))
}

function decoded(data: JsonObject): Readonly<Record<string, Uint8Array>> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, new Uint8Array(Buffer.from(String(value), 'base64'))]),
  )
}
