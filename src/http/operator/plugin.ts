/** Serves the table of routes: who may, what goes in, what it answers, what is audited. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { toApiProblem } from '../../api/problem.ts'
import { type Deed, recordDeed } from '../../broker/govern.ts'
import type { Asker } from '../../broker/orders.ts'
import { parseJson } from '../../kit/exact.ts'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { reachOf } from '../../model/access.ts'
import { fail, type Problem, ProblemError, toProblem } from '../../model/problem.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'
import { closeIfUnread, statusOf } from '../answer.ts'
import { type Account, actorOf } from '../authenticate.ts'
import { tooLarge } from '../body.ts'
import { type BodyLimits, refuseTooMuch } from '../body-limits.ts'
import { deniedCodes, failedLogin } from '../refused.ts'
import { requestIdOf } from '../request-id.ts'
import { isForged, type Session, setCookie } from '../sessions.ts'
import { authorize, placed } from './authorize.ts'
import { checked, checkedQuery } from './checked.ts'
import { type Idempotency, makeIdempotency } from './idempotency.ts'
import { addLoginPages } from './login-pages.ts'
import { mannerOf } from './manner.ts'
import { descriptionPath, methodsAt } from './methods-at.ts'
import { describeApi } from './openapi.ts'
import type { OperatorPorts } from './ports.ts'
import type { Answer, Call, Route } from './route.ts'
import { operatorRoutes } from './routes.ts'
import { sendEvents } from './send-events.ts'
import { watchRights } from './stream-rights.ts'

/** Ids that platforms chose are longer than the framework expects: 800 bytes, each of them percent-encoded. */
const idMax = 3 * 800

/** The operator API as something that answers requests below /api. */
export async function operatorApi(ports: OperatorPorts): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: ports.bodyLimits.bytes,
    routerOptions: { maxParamLength: idMax },
    frameworkErrors: (error, request, reply) => void answerProblem(ports, { error, request, reply }),
  })
  // No delete has a body to read.
  app.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true })
  // Some clients send an empty JSON body where none is needed.
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? undefined : parseJson(String(text)))
    } catch {
      done(new ProblemError({ code: 'request.malformed', detail: 'the body is not JSON' }), undefined)
    }
  })
  app.setErrorHandler((error, request, reply) => answerProblem(ports, { error, request, reply }))
  // Before a body is read, which would be thrown away.
  app.addHook('onRequest', (request, reply, done) => {
    ports.observe.begins()
    dropTypeOfNothing(request)
    // An answer is for one account; a browser that goes back in its history would show it to the next.
    reply.header('X-Request-ID', notedIdOf(ports, request)).header('Cache-Control', 'no-store')
    done(request.is404 ? notServed(request, reply) : undefined)
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    closeIfUnread(reply.raw)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const seen = {
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: reply.elapsedTime,
      requestId: notedIdOf(ports, request),
      account: callers.get(request.raw)?.account.name,
      source: ports.source(request.raw),
    }
    ports.observe.request(seen, request.raw)
    done()
  })
  const idempotency = makeIdempotency()
  const description = await describeApi(app, ports.version)
  for (const route of operatorRoutes) {
    app.route({
      method: route.method,
      url: `/api/v1${route.url}`,
      schema: description.schemaOf(route),
      // Requests are checked in `serve`, where all faults are told at once in our words.
      validatorCompiler: () => () => true,
      serializerCompiler: () => (value) => JSON.stringify(value),
      onRequest: (request, reply) => admit(ports, route, { request, reply }),
      handler: (request, reply) => serve(ports, { route, idempotency }, request, reply),
    })
  }
  addLoginPages(app, ports)
  const described = lazily(() => JSON.stringify(description.document()))
  app.get(descriptionPath, { schema: { hide: true } }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(described()),
  )
  await app.ready()
  return app
}

/** Some clients name the type of a body that they do not send; the framework would wait for it. */
function dropTypeOfNothing({ headers }: FastifyRequest): void {
  const isEmpty = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  if (isEmpty) delete headers['content-type']
}

/** Everybody may ask for it, so it is printed once. */
function lazily(make: () => string): () => string {
  let made: string | undefined
  return () => {
    made ??= make()
    return made
  }
}

interface Caller {
  readonly account: Account
  readonly asker: Asker
  readonly session: Session | undefined
}

/** The account that was admitted with a request. */
const callers = new WeakMap<object, Caller>()

/**
 * The caller's account and rights are known before a body is read.
 * Problems: those of the admission, request.forged, request.forbidden.
 */
async function admit(
  ports: OperatorPorts,
  route: Route,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<void> {
  // A request with credentials needs no session.
  const session =
    request.headers.authorization === undefined
      ? await ports.sessions.find(request.raw, mannerOf(ports, request.raw))
      : undefined
  const account = await admitted(ports, { request, reply, session })
  const asker = askerOf(ports, account, request)
  callers.set(request.raw, { account, asker, session })
  if (session && isForged(request.raw, session)) {
    noteRefusal(ports, { route, asker, request }, { code: 'request.forged' })
    fail('request.forged')
  }
  // What a page does on its own shows no person behind it.
  if (session?.isStale && request.headers['x-chandler-refresh'] === undefined)
    reply.header('Set-Cookie', setCookie(session, mannerOf(ports, request.raw)))
  try {
    const { tenants: rules = [] } = ports.broker.policy()
    await authorize(ports.broker.store.look, route, { access: account.access, request, rules })
  } catch (error) {
    noteRefusal(ports, { route, asker, request }, toProblem(error))
    throw error
  }
}

interface Arrived {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly session: Session | undefined
}

async function admitted(ports: OperatorPorts, { request, reply, session }: Arrived): Promise<Account> {
  try {
    return await ports.admission.admit(request.raw, reply.raw, 'operator', session?.account)
  } catch (error) {
    const { code } = toProblem(error)
    const failed =
      code === 'request.unauthenticated'
        ? failedLogin(ports, request.raw, { code, requestId: notedIdOf(ports, request) })
        : undefined
    if (failed) ports.observe.refused(failed)
    throw error
  }
}

async function serve(
  ports: OperatorPorts,
  { route, idempotency }: { readonly route: Route; readonly idempotency: Idempotency },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const caller = callers.get(request.raw) ?? fail('request.unauthenticated')
  const { account, asker } = caller
  try {
    const call = callOf({ route, request, ...caller }, ports)
    reply.raw.once('close', () => call.abort())
    const carryOut = async (within: OperatorPorts): Promise<Answer> => {
      const answer = await route.handle(call, within)
      await record(within, route, { asker, request })
      return answer
    }
    const { idempotencyKey: key } = call
    const isOnce = route.method === 'POST' && key !== undefined
    const [path = ''] = request.url.split('?')
    const asked = {
      account: account.name,
      key: key ?? '',
      path,
      body: withoutSecrets(request.body),
      status: route.status,
      anew: route.repeats === 'anew',
    }
    const answer = isOnce ? await idempotency.once(ports, asked, carryOut) : await carryOut(ports)
    if (answer.session !== undefined) {
      const kept = answer.session === 'ended' ? undefined : answer.session
      reply.header('Set-Cookie', setCookie(kept, mannerOf(ports, request.raw)))
    }
    const { signal, abort } = call
    if (answer.kind === 'events') void watchRights(ports, { route, request, signal, end: abort })
    return await sendAnswer(route, answer, reply)
  } catch (error) {
    noteRefusal(ports, { route, asker, request }, toProblem(error))
    throw error
  }
}

/** A digest of it is kept with the answer: passwords are left out. */
function withoutSecrets(body: unknown): unknown {
  if (!isObject(body)) return body
  const { password: _password, current: _current, ...rest } = body
  return rest
}

/** What the broker does not record itself; the reading of secrets is counted where it is repeated. */
async function record(
  ports: OperatorPorts,
  { audit, method }: Route,
  { asker, request }: Pick<Served, 'asker' | 'request'>,
): Promise<void> {
  if (audit.kind !== 'deed' || audit.recordedBy !== 'route') return
  const deed = { action: audit.action, ...objectOf(request) }
  if (method === 'GET') await ports.observe.read({ asker, deed })
  else await recordDeed(ports.broker, asker, deed)
}

function askerOf(ports: OperatorPorts, account: Account, request: FastifyRequest): Asker {
  return {
    platform: account.name,
    account: actorOf(account),
    requestId: notedIdOf(ports, request),
    source: ports.source(request.raw),
  }
}

const requestIds = new WeakMap<object, string>()

function notedIdOf({ broker }: OperatorPorts, request: FastifyRequest): string {
  const known = requestIds.get(request.raw)
  if (known !== undefined) return known
  const id = requestIdOf(request.headers, broker)
  requestIds.set(request.raw, id)
  return id
}

interface Served {
  readonly route: Route
  readonly request: FastifyRequest
  readonly account: Account
  readonly asker: Asker
  readonly session: Session | undefined
}

function callOf(
  { route, request, account, asker, session }: Served,
  { bodyLimits, leaving }: OperatorPorts,
): Call<unknown, unknown, unknown> & { abort(): void } {
  const { params, query, body } = route.parts
  refuseTooMuch(request.body, bodyLimits)
  const gone = new AbortController()
  const idempotencyKey = idempotencyKeyOf(request)
  const given = body && checked(body, request.body ?? {}, 'body')
  return {
    params: params && checked(params, request.params, 'path'),
    query: checkedQuery(query, request.query),
    body: given,
    account,
    asker: route.places ? { ...asker, ...placed(account.access, route, given) } : asker,
    tenants: reachOf(account.access, route.needs),
    session,
    header: (name) => {
      const value = request.headers[name]
      return typeof value === 'string' ? value : undefined
    },
    signal: AbortSignal.any([gone.signal, leaving]),
    abort: () => gone.abort(),
    ...present({ idempotencyKey }),
  }
}

function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  return fail('request.malformed', 'Idempotency-Key must be 1 to 255 printable characters without blanks')
}

async function sendAnswer(route: Route, answer: Answer, reply: FastifyReply): Promise<FastifyReply> {
  reply.header('X-Content-Type-Options', 'nosniff')
  switch (answer.kind) {
    case 'document':
      return reply.code(route.status).type('application/json; charset=utf-8').send(answer.body)
    case 'nothing':
      return reply.code(204).send()
    case 'bytes':
      // What a package wrote is never shown as a page of ours.
      reply.header('Content-Disposition', 'attachment').header('Content-Security-Policy', 'sandbox')
      return reply.type(answer.mediaType).send(Buffer.from(answer.bytes))
    case 'events':
      return sendEvents(reply, answer.events)
  }
}

interface Failed {
  readonly error: unknown
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

async function answerProblem(ports: OperatorPorts, { error, request, reply }: Failed): Promise<FastifyReply> {
  const requestId = notedIdOf(ports, request)
  const problem = problemOf(error, ports.bodyLimits)
  if (problem.code === 'internal.unexpected') ports.observe.fault(problem.cause ?? error, requestId)
  if (problem.code === 'request.unauthenticated') {
    reply.header('WWW-Authenticate', challengeTo(request))
  }
  const status = statusOf(problem)
  if (status === 429 || status === 503) reply.header('Retry-After', '5')
  return (
    reply
      .code(status)
      // Faults of the framework come before any hook.
      .header('X-Request-ID', requestId)
      .header('Cache-Control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(toApiProblem(problem, requestId))
  )
}

/** A script of a page asks for the password itself: with another challenge the browser would ask, too. */
function challengeTo({ headers }: FastifyRequest): string {
  const scheme = headers['sec-fetch-dest'] === 'empty' ? 'Chandler-Session' : 'Basic'
  return `${scheme} realm="chandler", charset="UTF-8"`
}

const ofFramework: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'request.too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'request.malformed',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'request.malformed',
  FST_ERR_BAD_URL: 'request.malformed',
  FST_ERR_MAX_PARAM_LENGTH: 'request.malformed',
}

function problemOf(error: unknown, { bytes }: Pick<BodyLimits, 'bytes'>): Problem {
  if (error instanceof ProblemError) return error.problem
  const code = isObject(error) || error instanceof Error ? (error as { code?: unknown }).code : undefined
  const known = typeof code === 'string' ? ofFramework[code] : undefined
  if (known === undefined) return toProblem(error)
  if (known === 'request.too-large') return tooLarge(bytes)
  return { code: known, ...(error instanceof Error ? { detail: error.message } : {}) }
}

/** Deeds are told whatever became of them; a look only where it was not allowed. */
function noteRefusal(
  { observe }: OperatorPorts,
  { route, asker, request }: Pick<Served, 'route' | 'asker' | 'request'>,
  { code }: Problem,
): void {
  const denied = deniedCodes.has(code)
  if (route.audit.kind !== 'deed' && !denied) return
  const action = route.audit.kind === 'deed' ? route.audit.action : 'api.read'
  observe.refused({ asker, deed: { action, ...objectOf(request), refusal: { denied, code } } })
}

/** What a request is about, by its address. */
function objectOf({ params }: FastifyRequest): Pick<Deed, 'kind' | 'id' | 'within'> {
  const named = params as JsonObject
  for (const kind of ['binding', 'instance', 'operation', 'account', 'token', 'tenant']) {
    const id = named[kind]
    if (typeof id !== 'string') continue
    const within = ['platform', 'instance'].flatMap((name) => {
      const outer = named[name]
      return name !== kind && typeof outer === 'string' ? [outer] : []
    })
    return { kind, id, within }
  }
  return { kind: 'broker', id: '' }
}

/** Nothing is at this address, or nothing for this method. */
function notServed(request: FastifyRequest, reply: FastifyReply): ProblemError {
  const path = request.url.split('?')[0] ?? request.url
  const methods = methodsAt(path)
  if (methods.length === 0) return new ProblemError({ code: 'request.unknown-path', detail: path })
  reply.header('Allow', methods.join(', '))
  return new ProblemError({ code: 'request.method-not-allowed', detail: `${request.method} ${path}` })
}
