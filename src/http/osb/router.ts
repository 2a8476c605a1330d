/** The Open Service Broker API: route, authentication, version, body, identity, handler; in that order. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { catalogSeen, tenantsOf } from '../../broker/visible.ts'
import { present } from '../../kit/present.ts'
import { permits } from '../../model/access.ts'
import { fail, type Problem, toProblem } from '../../model/problem.ts'
import type { Requester } from '../../model/situation.ts'
import type { Admission } from '../admit.ts'
import { type Answer, send } from '../answer.ts'
import { type Account, actorOf, type Gate } from '../authenticate.ts'
import { readObject } from '../body.ts'
import type { Observe } from '../observe.ts'
import { deniedCodes, failedLogin } from '../refused.ts'
import { requestIdOf } from '../request-id.ts'
import { deleteBinding, getBinding, pollBinding, putBinding } from './bindings.ts'
import { apiInfoLocation, echoing, minorVersion, originatingIdentity } from './headers.ts'
import { deleteInstance, getInstance, patchInstance, pollInstance, putInstance } from './instances.ts'
import { problemAnswer } from './problem.ts'
import type { OsbRequest, OsbSurroundings } from './surroundings.ts'

type Handler = (around: OsbSurroundings, request: OsbRequest) => Promise<Answer>

interface Route {
  /** As it stands in metrics and logs: never the raw path. */
  readonly name: string
  readonly methods: Readonly<Record<string, Handler>>
  /** What changes something, as the audit trail names it. */
  readonly deeds?: Readonly<Record<string, string>>
}

const instances: Route = {
  name: '/v2/service_instances/:instance_id',
  methods: { PUT: putInstance, PATCH: patchInstance, DELETE: deleteInstance, GET: getInstance },
  deeds: { PUT: 'instance.provision', PATCH: 'instance.update', DELETE: 'instance.deprovision' },
}
const bindings: Route = {
  name: '/v2/service_instances/:instance_id/service_bindings/:binding_id',
  methods: { PUT: putBinding, DELETE: deleteBinding, GET: getBinding },
  deeds: { PUT: 'binding.bind', DELETE: 'binding.unbind' },
}
const instancePolls: Route = { name: `${instances.name}/last_operation`, methods: { GET: pollInstance } }
const bindingPolls: Route = { name: `${bindings.name}/last_operation`, methods: { GET: pollBinding } }
const catalog: Route = { name: '/v2/catalog', methods: { GET: getCatalog } }

interface Found {
  readonly route: Route
  readonly instance: string
  readonly binding: string
}

export interface OsbRouter {
  handle(request: IncomingMessage, response: ServerResponse): void
}

export interface OsbRouterParts {
  readonly around: OsbSurroundings
  readonly gate: Pick<Gate, 'claimed'>
  readonly admission: Pick<Admission, 'admit'>
  readonly observe: Observe
  /** The address at the other end of the connection. */
  source(request: IncomingMessage): string
}

/** Makes the handler of everything below /v2. */
export function makeOsbRouter(door: OsbRouterParts): OsbRouter {
  return { handle: (request, response) => void serve(door, request, response) }
}

/** Answers, and tells of it; never rejects. */
async function serve(
  door: OsbRouterParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { clock } = door.around.ports
  const startedAt = clock.monotonic()
  const reference = requestIdOf(request.headers, door.around.ports)
  door.observe.begins()
  const passing: Passing = { reference, admitted: undefined, requester: undefined }
  try {
    const answer = await respond(door, { request, response }, passing).catch((error: unknown) => {
      const problem = toProblem(error)
      if (problem.code === 'internal.unexpected') door.observe.fault(problem.cause, reference)
      noteRefusal(door, request, problem, passing)
      return problemAnswer(problem, reference)
    })
    send(response, echoing(request.headers, answer))
    const seen = {
      method: request.method ?? '',
      route: passing.admitted?.found.route.name ?? 'unknown',
      status: answer.status,
      ms: clock.monotonic() - startedAt,
      requestId: reference,
      account: passing.admitted?.account.name,
      source: door.source(request),
    }
    door.observe.request(seen, request)
  } catch (error) {
    door.observe.fault(error, reference)
  }
}

/** How far a request has come. */
interface Passing {
  readonly reference: string
  admitted: { readonly found: Found; readonly account: Account } | undefined
  /** The user that it is for. */
  requester: Requester | undefined
}

async function respond(
  door: OsbRouterParts,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  passing: Passing,
): Promise<Answer> {
  const { around } = door
  const [path = '', search = ''] = split(request.url ?? '')
  const found = find(path) ?? fail('request.unknown-path')
  const handler = found.route.methods[request.method === 'HEAD' ? 'GET' : (request.method ?? '')]
  if (handler === undefined) return methodRefused(found.route, passing.reference)
  const account = await door.admission.admit(request, response, 'osb')
  passing.admitted = { found, account }
  const location = apiInfoLocation(request.headers)
  refuseOtherLocation(account, location)
  const minor = minorVersion(request.headers, around.options.missingVersionStatus)
  const requester = originatingIdentity(request.headers)
  passing.requester = requester
  return handler(withPatience(around, account), {
    asker: {
      platform: platformOf(account),
      account: { ...actorOf(account), ...present({ location }) },
      requestId: passing.reference,
      ...(requester ? { requester } : {}),
      ...present({ tenant: account.tenant }),
      source: door.source(request),
    },
    ...present({ accessRule: account.accessRule }),
    instance: found.instance,
    binding: found.binding,
    query: new URLSearchParams(search),
    headers: request.headers,
    minor,
    body: () => readObject(request, around.options.body),
    gone: () => {
      const gone = new AbortController()
      if (response.closed) gone.abort()
      else response.once('close', () => gone.abort())
      return gone.signal
    },
  })
}

/** Credentials that got into another foundation order nothing there. Problem: request.forbidden. */
function refuseOtherLocation({ apiInfoLocations = [] }: Account, location: string | undefined): void {
  if (apiInfoLocations.length === 0 || (location !== undefined && apiInfoLocations.includes(location))) return
  fail(
    'request.forbidden',
    `this account is for ${apiInfoLocations.join(', ')}, not for ${location ?? 'others'}`,
  )
}

/** An account may have a patience of its own. */
function withPatience(around: OsbSurroundings, { syncWaitMs }: Account): OsbSurroundings {
  return syncWaitMs === undefined ? around : { ...around, options: { ...around.options, syncWaitMs } }
}

function methodRefused({ methods }: Route, reference: string): Answer {
  const answer = problemAnswer({ code: 'request.method-not-allowed' }, reference)
  return { ...answer, headers: { ...answer.headers, Allow: [...Object.keys(methods), 'HEAD'].join(', ') } }
}

/** The audit trail keeps refused attempts with their account, and ends of what is not known. */
function noteRefusal(
  door: OsbRouterParts,
  request: IncomingMessage,
  { code }: Problem,
  { reference, admitted, requester }: Passing,
): void {
  if (code === 'request.unauthenticated') {
    const failed = failedLogin(door, request, { code, requestId: reference })
    if (failed) door.observe.refused(failed)
  }
  const denied = deniedCodes.has(code)
  // What a platform wants to be gone and this broker never knew may still be there: another one made it.
  const unknown = request.method === 'DELETE' && code === 'binding.gone'
  if (!(denied || unknown) || admitted === undefined) return
  const { found, account } = admitted
  const kind = found.binding === '' ? 'instance' : 'binding'
  door.observe.refused({
    asker: {
      platform: account.name,
      account: { ...actorOf(account), ...present({ location: apiInfoLocation(request.headers) }) },
      ...present({ requester }),
      requestId: reference,
      source: door.source(request),
    },
    deed: {
      action: found.route.deeds?.[request.method ?? ''] ?? 'osb.read',
      kind,
      id: kind === 'instance' ? found.instance : found.binding,
      within: kind === 'instance' ? [account.name] : [account.name, found.instance],
      refusal: { denied, code },
    },
  })
}

/** An account that is no platform of its own orders under its own name, too. */
function platformOf({ name, access }: Account): string {
  return permits(access, 'use:osb', undefined) ? name : fail('request.forbidden')
}

const catalogBytes = new WeakMap<object, Buffer>()

/** Encoded once per catalog and view of it: it is large and asked for often. */
function bytesOf(catalog: { readonly text: string }): Buffer {
  const known = catalogBytes.get(catalog)
  if (known) return known
  const bytes = Buffer.from(catalog.text)
  catalogBytes.set(catalog, bytes)
  return bytes
}

async function getCatalog({ ports }: OsbSurroundings, { asker, headers }: OsbRequest): Promise<Answer> {
  const catalog = catalogSeen(ports, tenantsOf(asker))
  const { etag } = catalog
  const known = String(headers['if-none-match'] ?? '')
  const fresh = known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*')
  if (known !== '' && fresh) return { status: 304, headers: { ETag: etag } }
  return { status: 200, text: bytesOf(catalog), headers: { ETag: etag } }
}

function split(url: string): readonly [string, string] {
  const mark = url.indexOf('?')
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}

/** Splits the raw path before decoding, so that %2F stays inside one id. */
function find(path: string): Found | undefined {
  if (path === '/v2/catalog') return { route: catalog, instance: '', binding: '' }
  const parts = path.split('/')
  if (parts[1] !== 'v2' || parts[2] !== 'service_instances' || parts.length > 7) return undefined
  const instance = id(parts[3])
  if (parts.length === 4) return { route: instances, instance, binding: '' }
  if (parts.length === 5 && parts[4] === 'last_operation')
    return { route: instancePolls, instance, binding: '' }
  if (parts[4] !== 'service_bindings' || parts.length < 6) return undefined
  const binding = id(parts[5])
  if (parts.length === 6) return { route: bindings, instance, binding }
  return parts[6] === 'last_operation' ? { route: bindingPolls, instance, binding } : undefined
}

/** An instance and a binding together have to fit into one entry of PostgreSQL's indexes. */
const idBytesMax = 800

function id(segment: string | undefined): string {
  if (segment === undefined || segment === '') return fail('request.malformed', 'the path has an empty id')
  try {
    const text = segment.includes('%') ? decodeURIComponent(segment) : segment
    if (text.includes('\0')) return fail('request.malformed', 'the path holds a NUL character')
    if (Buffer.byteLength(text) <= idBytesMax) return text
    return fail('request.malformed', `the path has an id of more than ${idBytesMax} bytes`)
  } catch (error) {
    if (error instanceof URIError) return fail('request.malformed', 'the path is not percent-encoded UTF-8')
    throw error
  }
}
