/** Answers one request of the API, except for watches: a pure function of the request and the session. */
import { depth, isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { faultOfName, faultOfObject, normalised } from './object-rules.ts'
import { levelsMax, type ObjectKey } from './objects.ts'
import { openApi } from './openapi.ts'
import { logIn } from './openshift.ts'
import { applyPatch, patch } from './patch.ts'
import { discovery, type Resource, resources } from './resources.ts'
import { selectorOf } from './selectors.ts'
import type { Session } from './session.ts'
import { type Answer, deleted, refusal } from './status.ts'

export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Without parameters, in lower case. */
  readonly mediaType: string
  /** What the client takes. */
  readonly accept: string
  readonly body: string
  readonly now: number
  readonly newId: () => string
}

/** An answer, and whether the session has changed and must be written down before it is given. */
export interface Answered {
  readonly answer: Answer
  readonly changed: boolean
}

/** Where a request leads: to a kind, perhaps to one object. */
export interface Target {
  readonly resource: string
  readonly rule: Resource
  /** Absent: all namespaces. */
  readonly namespace?: string
  readonly name?: string
}

/** Answers a request. */
export function answer(session: Session, request: ApiRequest): Answered {
  const fixed = request.method === 'GET' ? discovery(request.path) : undefined
  if (fixed !== undefined) return unchanged({ code: 200, body: fixed })
  const described = request.method === 'GET' ? openApi(request.path, request.accept) : undefined
  if (described !== undefined) return unchanged(described)
  const asOpenShift = request.method === 'GET' ? logIn(session, request.path) : undefined
  if (asOpenShift !== undefined) return unchanged(asOpenShift)
  if (request.method === 'POST' && request.path === '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')
    return unchanged(review(session, request))
  const target = targetOf(session, request.path)
  if ('code' in target) return unchanged(target)
  switch (request.method) {
    case 'GET':
      return unchanged(
        target.name === undefined ? list(session, target, request) : look(session, target, target.name),
      )
    case 'POST':
      return create(session, target, request)
    case 'PUT':
    case 'PATCH':
      return change(session, target, request)
    case 'DELETE':
      return remove(session, target, request)
    default:
      return unchanged(refusal('MethodNotAllowed', `${request.method} is not served`))
  }
}

function unchanged(answer: Answer): Answered {
  return { answer, changed: false }
}

/** Finds the kind, and refuses what a stand-in does not have. */
export function targetOf(session: Session, path: string): Target | Answer {
  const inNamespace = /^\/api\/v1\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/.exec(path)
  const plain = /^\/api\/v1\/([^/]+)(?:\/([^/]+))?$/.exec(path)
  const [namespace, resource = '', name] = inNamespace
    ? [inNamespace[1], inNamespace[2], inNamespace[3]]
    : [undefined, plain?.[1], plain?.[2]]
  const rule = Object.hasOwn(resources, resource) ? resources[resource] : undefined
  if (rule === undefined) return unserved(session, path)
  if (!rule.namespaced) return namespaceTarget(session, resource, rule, name)
  const places =
    rule.places === 'both' ? [session.sandbox.namespace, session.sandbox.target] : [session.sandbox.namespace]
  if (namespace === undefined || !places.includes(namespace)) {
    const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`
    const message = `${resource} is forbidden: this action may use ${places.join(' and ')}, not ${resource} ${where}`
    return refusal('Forbidden', message, { kind: resource })
  }
  return { resource, rule, namespace, ...present({ name }) }
}

function namespaceTarget(
  session: Session,
  resource: string,
  rule: Resource,
  name: string | undefined,
): Target | Answer {
  const own = [session.sandbox.namespace, session.sandbox.target]
  if (name !== undefined && !own.includes(name)) {
    return refusal('Forbidden', `namespaces "${name}" is forbidden`, { kind: 'namespaces', name })
  }
  return { resource, rule, namespace: '', ...present({ name }) }
}

/** What only a cluster has is remembered, so that a person learns why the bundle failed. */
function unserved(session: Session, path: string): Answer {
  const named = /^\/(?:o?api|apis\/([^/]+))\/([^/]+)\/(?:namespaces\/[^/]+\/)?([^/]+)/.exec(path)
  const what = named ? `${named[1] === undefined ? '' : `${named[1]}/`}${named[2]} ${named[3]}` : path
  if (named) session.miss(what)
  const hint = `the server could not find the requested resource (${what}): this bundle runs without a Kubernetes cluster`
  return refusal('NotFound', hint, { kind: named?.[3] ?? path })
}

function review({ sandbox }: Session, { body }: ApiRequest): Answer {
  const asked = parse(body)
  const attributes = member(member(asked, 'spec'), 'resourceAttributes')
  const namespace = attributes['namespace']
  const allowed = namespace === sandbox.namespace || namespace === sandbox.target
  return {
    code: 201,
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: member(asked, 'spec'),
      status: { allowed },
    },
  }
}

function look(session: Session, target: Target, name: string): Answer {
  const object = session.objects.get(keyOf(target, name))
  return object === undefined ? notFound(target, name) : { code: 200, body: object }
}

function list(session: Session, target: Target, { query }: ApiRequest): Answer {
  const selects = selectorOf(query)
  if (selects === undefined) return tooManyRequirements
  const found = session.objects.list(target.resource, target.namespace)
  return {
    code: 200,
    body: {
      kind: `${target.rule.kind}List`,
      apiVersion: 'v1',
      metadata: { resourceVersion: session.objects.version },
      items: found.map(({ object }) => object).filter(selects),
    },
  }
}

/** Of a list or a watch. */
export const tooManyRequirements = refusal('BadRequest', 'the selectors have too many requirements')

function create(session: Session, target: Target, request: ApiRequest): Answered {
  if (!target.rule.verbs.includes('create') || target.name !== undefined) return notAllowed(target, 'POST')
  const given = parse(request.body)
  if (given === undefined) return unchanged(noObject.answer)
  const metadata = member(given, 'metadata')
  const prefix = metadata['generateName']
  const name =
    metadata['name'] ?? (typeof prefix === 'string' ? `${prefix}${request.newId().slice(0, 5)}` : undefined)
  const fault =
    faultOfName(name) ?? faultOfNamespace(metadata, target) ?? faultOfObject(target.resource, given)
  if (fault !== undefined) return unchanged(fault)
  const key = keyOf(target, String(name))
  if (session.objects.get(key) !== undefined) {
    const message = `${target.resource} "${key.name}" already exists`
    return unchanged(refusal('AlreadyExists', message, { kind: target.resource, name: key.name }))
  }
  const object: JsonObject = {
    apiVersion: 'v1',
    kind: target.rule.kind,
    ...normalised(target.resource, given),
    metadata: {
      ...metadata,
      name: key.name,
      namespace: key.namespace,
      uid: request.newId(),
      creationTimestamp: new Date(request.now).toISOString().replace(/\.\d+Z$/, 'Z'),
    },
  }
  return put(session, key, object, 201)
}

function change(session: Session, target: Target, request: ApiRequest): Answered {
  const { name, rule, resource } = target
  if (name === undefined || !rule.verbs.includes('patch')) return notAllowed(target, request.method)
  const key = keyOf(target, name)
  const before = session.objects.get(key)
  if (before === undefined) return applied(session, target, request) ?? unchanged(notFound(target, name))
  const sent = request.method === 'PUT' ? sentObject(request) : patchedObject(before, request)
  if (sent.kind === 'refused') return unchanged(sent.answer)
  const next = sent.object
  const metadata = member(next, 'metadata')
  // Clients round timestamps and drop fields of the status: of a pod only its notes are taken over.
  const kept = member(before, 'metadata')
  const fault = faultOfObject(resource, next)
  if (fault !== undefined) return unchanged(fault)
  if (resource === 'pods') {
    const { annotations, labels } = metadata
    const notes = { ...kept, ...(annotations ? { annotations } : {}), ...(labels ? { labels } : {}) }
    return put(session, key, { ...before, metadata: notes }, 200)
  }
  const { uid, creationTimestamp, namespace } = kept
  const identity = {
    name,
    namespace: namespace ?? null,
    uid: uid ?? null,
    creationTimestamp: creationTimestamp ?? null,
  }
  const whole = {
    apiVersion: 'v1',
    kind: rule.kind,
    ...normalised(resource, next),
    metadata: { ...metadata, ...identity },
  }
  return put(session, key, whole, 200)
}

/** What is applied by the server is made where it is not there. */
function applied(
  session: Session,
  { name = '', ...target }: Target,
  request: ApiRequest,
): Answered | undefined {
  if (request.mediaType !== applyPatch || !target.rule.verbs.includes('create')) return undefined
  const given = member(parse(request.body), 'metadata')['name']
  if (given === name) return create(session, target, request)
  return unchanged(
    refusal('BadRequest', `the name of the object (${String(given)}) is not that of the request (${name})`),
  )
}

type Refused = { readonly kind: 'refused'; readonly answer: Answer }
type Sent = { readonly kind: 'object'; readonly object: JsonObject } | Refused

const noObject: Refused = {
  kind: 'refused',
  answer: refusal('BadRequest', `the body is not a JSON object of at most ${levelsMax} levels`),
}

function sentObject({ body }: ApiRequest): Sent {
  const object = parse(body)
  return object === undefined ? noObject : { kind: 'object', object }
}

function patchedObject(before: JsonObject, { mediaType, body }: ApiRequest): Sent {
  const given = parseAny(body)
  if (given === undefined) return noObject
  const patched = patch(before, mediaType, given)
  if (patched.kind === 'object') return patched
  const answer =
    patched.kind === 'refused'
      ? refusal('Invalid', patched.message)
      : refusal('UnsupportedMediaType', `patches of type ${mediaType} are not served`)
  return { kind: 'refused', answer }
}

function put(session: Session, key: ObjectKey, object: JsonObject, code: number): Answered {
  const tooMuch = session.objects.refuses(key, object)
  if (tooMuch !== undefined) return unchanged(refusal('RequestEntityTooLarge', tooMuch))
  const stored = session.objects.put(key, object)
  session.tell(stored)
  return { answer: { code, body: stored.object }, changed: true }
}

function remove(session: Session, target: Target, { method }: ApiRequest): Answered {
  const { name, resource, rule } = target
  if (name === undefined || !rule.verbs.includes('delete')) return notAllowed(target, method)
  const gone = session.objects.remove(keyOf(target, name))
  if (gone === undefined) return unchanged(notFound(target, name))
  session.tell(gone)
  return { answer: deleted(resource, name), changed: true }
}

function notAllowed({ resource }: Target, method: string): Answered {
  return unchanged(
    refusal('MethodNotAllowed', `${method} of ${resource} is not served without a cluster`, {
      kind: resource,
    }),
  )
}

function notFound({ resource }: Target, name: string): Answer {
  return refusal('NotFound', `${resource} "${name}" not found`, { kind: resource, name })
}

function faultOfNamespace({ namespace }: JsonObject, target: Target): Answer | undefined {
  if (namespace === undefined || namespace === null || namespace === target.namespace) return undefined
  return refusal(
    'BadRequest',
    `the namespace of the object (${String(namespace)}) is not that of the request (${target.namespace})`,
  )
}

function keyOf({ resource, namespace = '' }: Target, name: string): ObjectKey {
  return { resource, namespace, name }
}

function member(object: JsonObject | undefined, name: string): JsonObject {
  const value = object?.[name]
  return isObject(value) ? (value as JsonObject) : {}
}

function parse(text: string): JsonObject | undefined {
  const value = parseAny(text)
  return isObject(value) ? (value as JsonObject) : undefined
}

/** Undefined, too, for what is deeper than an object may be: nothing that walks through it could end badly then. */
function parseAny(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json
    return depth(value, levelsMax + 1) > levelsMax ? undefined : value
  } catch {
    // Whatever is no JSON is refused as such by the caller.
    return undefined
  }
}
