/** Carries one request to a host: TLS as configured, retries, redirects, and no secret to a foreign origin. */
import type { SecureContext } from 'node:tls'
import type { Agent, Dispatcher } from 'undici'
import { type Chance, type Clock, systemChance, systemClock } from '../../kit/clock.ts'
import { printable, shorten } from '../../kit/text.ts'
import { fail, ProblemError } from '../../model/problem.ts'
import { refuseUncertified } from './client-certificate.ts'
import { type HostSettings, isLoopback, type RegistrySettings } from './settings.ts'

export interface Call {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Made anew for each attempt. */
  body?(): AsyncIterable<Uint8Array> | Uint8Array
  /** Fewer than usual where another way is tried next. */
  readonly attemptsMax?: number
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: AsyncIterable<Uint8Array> & { dump(): Promise<void> }
  readonly url: URL
}

export interface Transport {
  /** Sends a request as it is; answers of any status. Problems: registry.unreachable, registry.insecure. */
  send(call: Call): Promise<Answer>
  close(): Promise<void>
}

const attemptsMax = 4
const redirectsMax = 5
const pauseBaseMs = 200
const pauseMaxMs = 30_000

/** Makes the transport for one registry host. */
export function openTransport(
  host: string,
  settings: RegistrySettings,
  clock: Clock = systemClock,
  chance: Chance = systemChance,
): Transport {
  const attempts = settings.hosts?.[host]?.attemptsMax ?? attemptsMax
  let made: Promise<Made> | undefined
  const send = async (call: Call): Promise<Answer> => {
    made ??= makeDispatcher(host, settings)
    const { dispatcher, refusal } = await made
    for (let attempt = 1; ; attempt++) {
      const end = await tryOnce(call, dispatcher)
      if (attempt === 1 && isClosed(end)) await refusal(call)
      const last = attempt >= (call.attemptsMax ?? attempts) || call.signal.aborted
      const again = last ? undefined : pauseFor(end, attempt, { chance, clock })
      if (again === undefined) {
        if (end instanceof ProblemError) throw end
        return end
      }
      if (!(end instanceof ProblemError)) await end.body.dump().catch(() => undefined)
      await clock.sleep(again, call.signal)
    }
  }
  const { traced } = settings
  return {
    send:
      traced === undefined
        ? send
        : (call) =>
            traced({ method: call.method, host }, (more) =>
              send({ ...call, headers: { ...call.headers, ...more } }),
            ),
    close: async () => await (await made)?.dispatcher.close(),
  }
}

interface Made {
  readonly dispatcher: Dispatcher
  /** Of a connection that was made and then closed without a word: fails where the certificate was the reason. */
  refusal(call: Call): Promise<void>
}

/** How long to wait before another attempt; undefined: none. A request that changes nothing twice may be repeated. */
function pauseFor(
  end: Answer | ProblemError,
  attempt: number,
  { chance, clock }: { readonly chance: Chance; readonly clock: Clock },
): number | undefined {
  const jittered = chance.number() * Math.min(pauseMaxMs, pauseBaseMs * 4 ** attempt)
  if (end instanceof ProblemError) {
    return end.problem.code === 'registry.unreachable' && !isCertificateFault(end) ? jittered : undefined
  }
  if (end.status !== 429 && end.status < 500) return undefined
  const asked = pauseAsked(end, clock.now())
  if (asked === undefined) return jittered
  // To come back earlier only makes it longer, and to wait so long is for the caller to decide.
  return asked <= pauseMaxMs ? asked : undefined
}

/** How long a host asks to be left alone, in milliseconds: it says seconds, or a date. */
export function pauseAsked({ headers }: Pick<Answer, 'headers'>, now: number): number | undefined {
  const said = headers['retry-after']
  if (typeof said !== 'string') return undefined
  const asked = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - now
  return Number.isFinite(asked) ? Math.max(0, asked) : undefined
}

async function tryOnce(call: Call, dispatcher: Dispatcher): Promise<Answer | ProblemError> {
  try {
    let { url } = call
    for (let hop = 0; ; hop++) {
      const answer = await sendTo(url, call, dispatcher)
      const next = redirectOf(answer)
      if (next === undefined || (call.method !== 'GET' && call.method !== 'HEAD')) return answer
      await answer.body.dump()
      if (hop >= redirectsMax)
        fail('registry.answer-invalid', `more than ${redirectsMax} redirects`, {
          where: { source: url.host },
        })
      // A redirect must not take a transfer off an encrypted connection.
      if (url.protocol === 'https:' && next.protocol !== 'https:') {
        fail('registry.insecure', `a redirect to ${next.origin}`, { where: { source: url.host } })
      }
      url = next
    }
  } catch (error) {
    return error instanceof ProblemError ? error : unreachable(error, call)
  }
}

async function sendTo(url: URL, call: Call, dispatcher: Dispatcher): Promise<Answer> {
  const { authorization, ...open } = call.headers
  // Object stores get no credentials of the registry that sends us there.
  const secret = authorization !== undefined && url.origin === call.url.origin ? { authorization } : {}
  const body = call.body?.()
  const { request } = await library()
  const {
    statusCode,
    headers,
    body: stream,
  } = await request(url, {
    dispatcher,
    method: call.method,
    headers: { 'user-agent': 'chandler', 'accept-encoding': 'identity', ...open, ...secret },
    signal: call.signal,
    // Else each HEAD would cost a connection of its own.
    ...(call.method === 'HEAD' ? { reset: false } : {}),
    ...(body === undefined ? {} : { body: body as Uint8Array }),
  })
  return { status: statusCode, headers, body: stream, url }
}

function redirectOf({ status, headers, url }: Answer): URL | undefined {
  const location = headers['location']
  if (![301, 302, 303, 307, 308].includes(status) || typeof location !== 'string') return undefined
  const next = URL.parse(location, url.href)
  if (next === null || !/^https?:$/.test(next.protocol)) {
    return fail('registry.answer-invalid', 'a redirect to no URL', { where: { source: url.host } })
  }
  return next
}

function unreachable(error: unknown, { url, signal }: Call): ProblemError {
  if (signal.aborted) return new ProblemError({ code: 'artifact.stopped' })
  const { code = '', message } = error as NodeJS.ErrnoException
  const why = shorten(printable([code, message].filter((part) => part !== '').join(': ')), 300)
  return new ProblemError({
    code: 'registry.unreachable',
    detail: why,
    where: { source: url.host },
    cause: error,
  })
}

/** Servers of TLS 1.3 judge the client's certificate when the request is on its way already. */
function isClosed(end: Answer | ProblemError): boolean {
  return (
    end instanceof ProblemError &&
    /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$|ALERT_(?:BAD_|UNKNOWN_CA|CERTIFICATE)/.test(codeOf(end))
  )
}

/** Whether the port speaks no TLS, or nothing listens there: plain HTTP may be what the host offers. */
export function offersNoTls(error: ProblemError): boolean {
  return speaksNoTls(error) || codeOf(error) === 'ECONNREFUSED'
}

/** Node's words for "this is not TLS". */
export function speaksNoTls(error: ProblemError): boolean {
  return ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'EPROTO'].includes(codeOf(error))
}

/** A certificate does not become good by asking again. */
function isCertificateFault(error: ProblemError): boolean {
  return /CERT|ERR_SSL|ERR_TLS|EPROTO|SELF_SIGNED/.test(codeOf(error))
}

function codeOf({ problem }: ProblemError): string {
  return ((problem.cause ?? {}) as { code?: string }).code ?? ''
}

/** Loaded when a host is first asked: what lies on this machine needs no network. */
function library(): Promise<typeof import('./network.ts')> {
  return import('./network.ts')
}

/** Made once per host: to read many certificates takes longer than to connect. Problems: registry.unreachable. */
async function trustOf(
  name: string,
  settings: RegistrySettings,
): Promise<{ readonly secureContext?: SecureContext }> {
  const [{ createSecureContext }, { certificatesFor }] = await Promise.all([
    import('node:tls'),
    import('./certificates.ts'),
  ])
  const certificates = certificatesFor(name, settings)
  if (Object.keys(certificates).length === 0) return {}
  try {
    return { secureContext: createSecureContext(certificates) }
  } catch (cause) {
    const detail = `its certificates cannot be read: ${(cause as Error).message}`
    return fail('registry.unreachable', detail, { where: { source: name }, cause })
  }
}

async function makeDispatcher(name: string, settings: RegistrySettings): Promise<Made> {
  const { hosts, proxy = {} } = settings
  const { Agent, EnvHttpProxyAgent } = await library()
  const host: HostSettings = hosts?.[name] ?? {}
  const connect = {
    timeout: 15_000,
    rejectUnauthorized: host.unverified !== true,
    ...(await trustOf(name, settings)),
  }
  const options: Agent.Options = { connect, connections: 8, headersTimeout: 60_000, bodyTimeout: 60_000 }
  const { http = '', https = '', no = '' } = proxy
  // A proxy's loopback is not ours.
  if ((http === '' && https === '') || isLoopback(name))
    return {
      dispatcher: new Agent(options),
      refusal: async ({ url, signal }) =>
        url.protocol === 'https:' ? await refuseUncertified(url, connect, signal) : undefined,
    }
  return {
    // The empty texts keep it from looking at the environment by itself.
    dispatcher: new EnvHttpProxyAgent({
      ...options,
      requestTls: connect,
      httpProxy: http,
      httpsProxy: https,
      noProxy: no,
    }),
    // The way past the proxy is not ours to try.
    refusal: async () => undefined,
  }
}
