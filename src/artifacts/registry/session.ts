/** Talks to one registry on behalf of one login: finds its scheme, meets its challenges, keeps its tokens. */
import { type Clock, systemClock } from '../../kit/clock.ts'
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { printable, shorten } from '../../kit/text.ts'
import { fail, ProblemError } from '../../model/problem.ts'
import { type Challenge, parseChallenges } from './challenge.ts'
import { findLogin } from './credentials.ts'
import { settingsAt } from './places.ts'
import { isLoopback, type Login, type RegistrySettings } from './settings.ts'
import {
  type Answer,
  type Call,
  offersNoTls,
  openTransport,
  pauseAsked,
  speaksNoTls,
  type Transport,
} from './transport.ts'

interface RegistryCall {
  readonly method: Call['method']
  /** Below /v2/, or a whole URL that the registry gave. */
  readonly path: string | URL
  readonly headers?: Readonly<Record<string, string>>
  body?: Call['body']
  readonly attemptsMax?: number
  /** What a token must permit, as in `repository:NAME:pull`. */
  readonly scopes: readonly string[]
  readonly signal: AbortSignal
}

export interface Session {
  readonly host: string
  /** Sends a request with whatever authentication it takes; answers of any status but 401, 403, 429, 5xx. */
  send(call: RegistryCall): Promise<Answer>
  close(): Promise<void>
}

interface Token {
  readonly text: string
  readonly goodUntil: number
}

/** The API of Docker's registry lives under another name than its references. */
const apiHosts: Readonly<Record<string, string>> = { 'docker.io': 'registry-1.docker.io' }
const answerBytesMax = 1024 * 1024

/** Opens a session for one repository's registry; nothing is sent yet. Problems: registry.blocked, registry.configuration-invalid. */
export function openSession(
  host: string,
  repository: string,
  settings: RegistrySettings,
  clock: Clock = systemClock,
): Session {
  return new RegistrySession({
    ...{ host, repository, clock },
    settings: settingsAt({ host, repository }, settings),
  })
}

interface Parties {
  readonly host: string
  readonly repository: string
  readonly settings: RegistrySettings
  readonly clock: Clock
}

/** A class for what is learnt once and used by every request. */
class RegistrySession implements Session {
  readonly host: string
  readonly #parties: Parties
  readonly #transport: Transport
  readonly #tokens = new Map<string, Token>()
  #login: Promise<Login | undefined> | undefined
  #base: Promise<URL> | undefined
  #challenge: Challenge | undefined

  constructor(parties: Parties) {
    this.host = parties.host
    this.#parties = parties
    this.#transport = openTransport(parties.host, parties.settings, parties.clock)
  }

  async send(call: RegistryCall): Promise<Answer> {
    this.#base ??= this.#findBase(call.signal)
    // A host that was unreachable once may be reached the next time.
    const base = await this.#base.catch((error: unknown) => {
      this.#base = undefined
      throw error
    })
    const url = call.path instanceof URL ? call.path : new URL(`/v2/${call.path}`, base)
    const { answer: first, sent } = await this.#attempt(call, url, base)
    if (first.status !== 401) return await this.#settled(first, sent)
    this.#meet(first)
    await first.body.dump()
    for (const scopes of this.#tokens.keys())
      if (scopes === call.scopes.join(' ')) this.#tokens.delete(scopes)
    const second = await this.#attempt(call, url, base)
    return await this.#settled(second.answer, second.sent)
  }

  async close(): Promise<void> {
    await this.#transport.close()
  }

  /** `sent`: with credentials, or a token that was had for them. */
  async #attempt(
    call: RegistryCall,
    url: URL,
    base: URL,
  ): Promise<{ readonly answer: Answer; readonly sent: boolean }> {
    const authorization = url.origin === base.origin ? await this.#authorization(call) : undefined
    const answer = await this.#transport.send({
      method: call.method,
      url,
      headers: { ...call.headers, ...present({ authorization }) },
      signal: call.signal,
      ...present({ body: call.body, attemptsMax: call.attemptsMax }),
    })
    return { answer, sent: authorization !== undefined }
  }

  /** https, unless the host speaks none and may do without. */
  async #findBase(signal: AbortSignal): Promise<URL> {
    const { host, settings } = this.#parties
    const secure = new URL(`https://${apiHosts[host] ?? host}`)
    const ping = async (base: URL, attemptsMax?: number): Promise<URL> => {
      const url = new URL('/v2/', base)
      const attempts = attemptsMax === undefined ? {} : { attemptsMax }
      const answer = await this.#transport.send({ method: 'GET', url, headers: {}, signal, ...attempts })
      if (answer.status === 401) this.#meet(answer)
      await answer.body.dump()
      return base
    }
    const mayBePlain = isLoopback(host) || settings.hosts?.[host]?.plainHttp === true
    try {
      return await ping(secure, mayBePlain ? 1 : undefined)
    } catch (error) {
      if (!(error instanceof ProblemError) || !offersNoTls(error)) throw error
      if (mayBePlain) return await ping(new URL(`http://${host}`), 2)
      if (speaksNoTls(error))
        return fail('registry.insecure', undefined, { where: { source: host }, cause: error })
      throw error
    }
  }

  #meet({ headers }: Answer): void {
    const header = headers['www-authenticate']
    const challenges = parseChallenges(typeof header === 'string' ? header : (header ?? []).join(', '))
    // A registry that offers tokens wants them used: some refuse a password on the data itself.
    this.#challenge = challenges.find(({ kind }) => kind === 'bearer') ?? challenges[0]
  }

  async #authorization({ scopes, signal }: RegistryCall): Promise<string | undefined> {
    const challenge = this.#challenge
    if (challenge === undefined) return undefined
    const login = await this.#findLogin()
    if (challenge.kind === 'basic') return login?.kind === 'password' ? basic(login) : undefined
    const key = scopes.join(' ')
    const known = this.#tokens.get(key)
    if (known !== undefined && known.goodUntil > this.#parties.clock.monotonic())
      return `Bearer ${known.text}`
    const token = await this.#fetchToken(challenge, scopes.length > 0 ? scopes : challenge.scopes, {
      login,
      signal,
    })
    this.#tokens.set(key, token)
    return `Bearer ${token.text}`
  }

  #findLogin(): Promise<Login | undefined> {
    const { host, repository, settings } = this.#parties
    this.#login ??= findLogin(host, repository, settings)
    return this.#login
  }

  async #fetchToken(
    challenge: Challenge & { readonly kind: 'bearer' },
    scopes: readonly string[],
    { login, signal }: { readonly login: Login | undefined; readonly signal: AbortSignal },
  ): Promise<Token> {
    const { host, clock } = this.#parties
    const realm = this.#checkedRealm(challenge.realm)
    const started = clock.monotonic()
    const answer = await this.#transport.send(
      login?.kind === 'refresh-token'
        ? refreshCall(realm, challenge, { scopes, token: login.token.reveal(), signal })
        : tokenCall(realm, challenge, { scopes, login, signal }),
    )
    const text = await readText(answer, answerBytesMax)
    if (answer.status === 401 || answer.status === 403)
      throw unauthorized(host, login === undefined ? 'there are none for it' : refusedLogin, text)
    if (answer.status !== 200) throw refused(answer, text, realm.host)
    const { token, seconds } = parseToken(text, realm.host)
    // A little early, for the clocks and the way there.
    return { text: token, goodUntil: started + Math.max(0, seconds - 10) * 1000 }
  }

  /** A registry names its token server; credentials must not travel there in the open. */
  #checkedRealm(text: string): URL {
    const { host, settings } = this.#parties
    const realm = URL.parse(text)
    const where = { source: host }
    if (realm === null || !/^https?:$/.test(realm.protocol)) {
      return fail('registry.answer-invalid', 'the token server has no URL', { where })
    }
    const mayBePlain =
      isLoopback(realm.host) || settings.hosts?.[realm.host]?.plainHttp || settings.hosts?.[host]?.plainHttp
    if (realm.protocol === 'http:' && !mayBePlain)
      fail('registry.insecure', `its token server is ${realm.origin}`, { where })
    return realm
  }

  async #settled(answer: Answer, sent: boolean): Promise<Answer> {
    const { status } = answer
    if (status !== 401 && status !== 403 && status !== 429 && status < 500) return answer
    const text = await readText(answer, answerBytesMax).catch(() => '')
    if (status === 401) {
      const known = (await this.#findLogin()) !== undefined
      throw unauthorized(this.host, known ? whyRefused(sent) : 'there are none for it', text)
    }
    const pause = pauseAsked(answer, this.#parties.clock.now())
    throw refused(answer, text, this.host, pause)
  }
}

function basic({ user, password }: Login & { readonly kind: 'password' }): string {
  return `Basic ${Buffer.from(`${user}:${password.reveal()}`).toString('base64')}`
}

function tokenCall(
  realm: URL,
  { service }: Challenge & { readonly kind: 'bearer' },
  {
    scopes,
    login,
    signal,
  }: { readonly scopes: readonly string[]; readonly login: Login | undefined; readonly signal: AbortSignal },
): Call {
  const url = new URL(realm)
  if (service !== undefined) url.searchParams.set('service', service)
  for (const scope of scopes) url.searchParams.append('scope', scope)
  if (login?.kind !== 'password') return { method: 'GET', url, headers: {}, signal }
  url.searchParams.set('account', login.user)
  return { method: 'GET', url, headers: { authorization: basic(login) }, signal }
}

function refreshCall(
  realm: URL,
  { service }: Challenge & { readonly kind: 'bearer' },
  {
    scopes,
    token,
    signal,
  }: { readonly scopes: readonly string[]; readonly token: string; readonly signal: AbortSignal },
): Call {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: 'chandler',
  })
  if (service !== undefined) form.set('service', service)
  form.set('scope', scopes.join(' '))
  return {
    method: 'POST',
    url: realm,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: () => Buffer.from(form.toString()),
    signal,
  }
}

function parseToken(text: string, source: string): { readonly token: string; readonly seconds: number } {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch (cause) {
    return fail('registry.answer-invalid', 'the token server answered no JSON', { where: { source }, cause })
  }
  const { token, access_token: access, expires_in: seconds } = isObject(answer) ? answer : {}
  // As Docker's own client takes them, and the Automation Broker.
  const found = access || token
  if (typeof found !== 'string' || !/^[\x21-\x7e]+$/.test(found)) {
    return fail('registry.answer-invalid', 'the token server answered no token', { where: { source } })
  }
  return { token: found, seconds: typeof seconds === 'number' && seconds > 0 ? seconds : 60 }
}

const refusedLogin = 'the credentials were refused'

function whyRefused(sent: boolean): string {
  return sent ? refusedLogin : 'it does not ask for them in a way that is known here, so none were sent'
}

function unauthorized(host: string, why: string, text: string): ProblemError {
  return new ProblemError({
    code: 'registry.unauthorized',
    detail: [why, saidBy(text)].filter(Boolean).join(': '),
    where: { source: host },
  })
}

/** A problem for an answer that refuses or fails. */
export function refused(
  { status }: Pick<Answer, 'status'>,
  text: string,
  source: string,
  pauseMs?: number,
): ProblemError {
  const pause = pauseMs === undefined ? '' : `it asks for ${Math.ceil(pauseMs / 1000)} s without requests`
  const detail = [String(status), saidBy(text), pause].filter((part) => part !== '').join(': ')
  if (status === 403) return new ProblemError({ code: 'registry.denied', detail, where: { source } })
  const code = status === 429 || status >= 500 ? 'registry.failed' : 'registry.refused'
  return new ProblemError({ code, detail, where: { source } })
}

/** The registry's own words, shortened and safe to show. */
function saidBy(text: string): string {
  let said = text
  try {
    const document: unknown = JSON.parse(text)
    const errors = isObject(document) ? document['errors'] : undefined
    const first: unknown = Array.isArray(errors) ? errors[0] : undefined
    if (isObject(first))
      said = [first['code'], first['message']].filter((word) => typeof word === 'string').join(' ')
  } catch {
    // Proxies answer HTML and old registries plain text.
  }
  return shorten(printable(said).replace(/\s+/g, ' ').trim(), 200)
}

/** The text of an answer up to a size. Problems: registry.answer-invalid. */
export async function readText(answer: Answer, bytesMax: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(answer, bytesMax))
}

/** The bytes of an answer up to a size. Problems: registry.answer-invalid, registry.unreachable. */
export async function readBytes(answer: Answer, bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const piece of answer.body) {
      bytes += piece.byteLength
      if (bytes > bytesMax) break
      pieces.push(piece)
    }
  } catch (cause) {
    return fail('registry.unreachable', 'the answer was cut off', {
      where: { source: answer.url.host },
      cause,
    })
  }
  if (bytes > bytesMax)
    return fail('registry.answer-invalid', `more than ${bytesMax} bytes`, {
      where: { source: answer.url.host },
    })
  return Buffer.concat(pieces)
}
