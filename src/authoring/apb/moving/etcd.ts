/** Reads what an original broker of the first age kept in etcd: the tree of the v2 keys API, asked for recursively. */
import { isObject, type JsonObject } from '../../../kit/json.ts'
import type { Resource } from './resource.ts'

/** Whether a document is such a tree. */
export function isEtcdTree(document: JsonObject): boolean {
  return isObject(document['node'])
}

/** The tree in the shape of the custom resources that took its place. */
export function resourcesInEtcd(document: JsonObject): readonly Resource[] {
  const leaves = [...leavesOf(document['node'])]
  const plans = new Map(
    leaves.flatMap(({ room, id, text }) => (room === 'plan_name' ? [[id, text] as const] : [])),
  )
  const jobs = Map.groupBy(
    leaves.filter(({ room }) => room === 'state'),
    ({ id }) => id,
  )
  return leaves.flatMap(({ room, id, value }) => {
    if (value === undefined) return []
    const states = (jobs.get(id) ?? []).map((job) => [job.token, job.value ?? {}] as const)
    const status = { jobs: Object.fromEntries(states) }
    const make = Object.hasOwn(makers, room) ? makers[room] : undefined
    const plain = { name: id, namespace: '', labels: {}, status, data: {}, spec: {} }
    return make === undefined ? [] : [{ ...plain, ...make(value, plans.get(id)) }]
  })
}

interface Leaf {
  /** The first part of its key. */
  readonly room: string
  readonly id: string
  /** Of a job, the last part. */
  readonly token: string
  /** The text, and the object that it may be. */
  readonly text: string
  readonly value: JsonObject | undefined
}

/** The original's keys have four parts, below what its operator may have put before them. */
const depthMax = 20

function* leavesOf(node: unknown, depth = 0): Iterable<Leaf> {
  if (!isObject(node) || depth > depthMax) return
  const { key, value, nodes } = node
  if (Array.isArray(nodes)) for (const inner of nodes) yield* leavesOf(inner, depth + 1)
  if (typeof key !== 'string' || typeof value !== 'string') return
  const [room = '', id = '', , token = ''] = key.split('/').filter((part) => part !== '')
  yield { room, id, token, text: value, value: parse(value) }
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? (value as JsonObject) : undefined
  } catch {
    // Names of plans are texts.
    return undefined
  }
}

type Made = Pick<Resource, 'kind'> & Partial<Resource>

const makers: Readonly<Record<string, (value: JsonObject, plan: string | undefined) => Made>> = {
  spec: (spec) => ({ kind: 'Bundle', spec: bundleSpec(spec) }),
  service_instance: ({ spec, context = {}, parameters, dashboard_url: url = '' }, plan) => ({
    kind: 'BundleInstance',
    spec: {
      bundle: { name: isObject(spec) ? (spec['id'] ?? '') : '' },
      context,
      parameters: JSON.stringify({
        ...(plan === undefined ? {} : { _apb_plan_id: plan.replaceAll('"', '') }),
        ...(isObject(parameters) ? parameters : {}),
      }),
      dashboardUrl: url,
    } as JsonObject,
  }),
  bind_instance: ({ service_id: owner = '', parameters }) => ({
    kind: 'BundleBinding',
    spec: { bundleInstance: { name: owner }, parameters: JSON.stringify(parameters ?? {}) },
  }),
  extracted_credentials: ({ credentials = {} }) => ({
    kind: 'Secret',
    data: { credentials: Buffer.from(JSON.stringify(credentials)).toString('base64') },
  }),
}

/** In custom resources free-form members are texts, and the name has another key. */
function bundleSpec({ name = '', metadata = {}, alpha = {}, plans = [], ...rest }: JsonObject): JsonObject {
  const all = Array.isArray(plans) ? (plans.filter(isObject) as readonly JsonObject[]) : []
  return {
    ...rest,
    fq_name: name,
    metadata: JSON.stringify(metadata),
    Alpha: JSON.stringify(alpha),
    plans: all.map(({ metadata: own = {}, parameters, bind_parameters: bind, ...plan }) => ({
      ...plan,
      metadata: JSON.stringify(own),
      parameters: described(parameters),
      bindParameters: described(bind),
    })),
  }
}

function described(parameters: unknown): readonly JsonObject[] {
  const all = Array.isArray(parameters) ? (parameters.filter(isObject) as readonly JsonObject[]) : []
  return all.map(({ default: value, ...rest }) =>
    value === undefined || value === null ? rest : { ...rest, default: JSON.stringify({ default: value }) },
  )
}
