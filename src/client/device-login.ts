/** Logs in at the identity provider of a broker with a code that a person enters in any browser (RFC 8628). */
import { isObject, type JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import { printable } from '../kit/text.ts'
import { fail } from '../model/problem.ts'

/** What a broker says of its provider. */
interface ProviderOffer {
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly scopes: readonly string[]
}

interface DeviceCode {
  readonly code: string
  /** Where the person goes, and what is to be entered there. */
  readonly url: string
  readonly entered: string
  readonly expiresMs: number
  readonly intervalMs: number
}

interface ProviderTokens {
  /** What is shown to the broker. */
  readonly token: string
  /** What gets another one; not every provider gives it. */
  readonly refresh?: string
}

const withinMs = 10_000
const usualIntervalMs = 5000
const usualExpiryMs = 600_000

/** Problems: login.not-offered, login.provider-away. */
export async function offeredProvider(server: string): Promise<ProviderOffer> {
  const { status, body } = await exchange(`${server.replace(/\/$/, '')}/api/login`)
  const offer = status === 200 ? body['oidc'] : undefined
  if (!isObject(offer)) return fail('login.not-offered', `the broker at ${server} has none`)
  const { name, issuer, clientId, scopes } = offer as unknown as ProviderOffer
  return { name, issuer, clientId, scopes }
}

/** Problems: login.refused, login.provider-away. */
export async function beginDeviceLogin(offer: ProviderOffer): Promise<DeviceCode> {
  const endpoint = await endpointOf(offer, 'device_authorization_endpoint')
  const { status, body } = await exchange(endpoint, {
    client_id: offer.clientId,
    scope: offer.scopes.join(' '),
  })
  const { device_code: code, user_code: entered, verification_uri: url } = body
  if (status !== 200 || ![code, entered, url].every((one) => typeof one === 'string'))
    return fail('login.refused', wordOf(body, `it answered ${status}`))
  const { expires_in: seconds, interval } = body
  return {
    code: String(code),
    url: safe(String(url)),
    entered: printable(String(entered)),
    expiresMs: typeof seconds === 'number' ? seconds * 1000 : usualExpiryMs,
    intervalMs: typeof interval === 'number' ? interval * 1000 : usualIntervalMs,
  }
}

/** Waits until the person has entered the code. Problems: login.refused, login.provider-away. */
export async function endDeviceLogin(
  offer: ProviderOffer,
  { code, expiresMs, intervalMs }: DeviceCode,
  sleep: (ms: number) => Promise<void>,
): Promise<ProviderTokens> {
  const endpoint = await endpointOf(offer, 'token_endpoint')
  let pauseMs = intervalMs
  for (let waitedMs = 0; waitedMs < expiresMs; waitedMs += pauseMs) {
    await sleep(pauseMs)
    const { status, body } = await exchange(endpoint, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: offer.clientId,
      device_code: code,
    })
    if (status === 200) return tokensIn(body)
    if (body['error'] === 'slow_down') pauseMs += usualIntervalMs
    else if (body['error'] !== 'authorization_pending')
      fail('login.refused', wordOf(body, `it answered ${status}`))
  }
  return fail('login.refused', 'the code was not entered in time')
}

/** Problems: login.refused, login.provider-away. */
export async function renewLogin(
  offer: Pick<ProviderOffer, 'issuer' | 'clientId'>,
  refresh: string,
): Promise<ProviderTokens> {
  const endpoint = await endpointOf(offer, 'token_endpoint')
  const { status, body } = await exchange(endpoint, {
    grant_type: 'refresh_token',
    client_id: offer.clientId,
    refresh_token: refresh,
  })
  if (status !== 200) fail('login.refused', wordOf(body, `it answered ${status}`))
  return { refresh, ...tokensIn(body) }
}

function tokensIn({ id_token: token, refresh_token: refresh }: JsonObject): ProviderTokens {
  if (typeof token !== 'string')
    return fail('login.refused', 'it gives no token that speaks of the person: the scope openid is missing')
  return { token, ...present({ refresh: typeof refresh === 'string' ? refresh : undefined }) }
}

/** What a provider says of a refusal, without anything that a terminal could take for more than words. */
function wordOf({ error, error_description: text }: JsonObject, otherwise: string): string {
  const said = [error, text].filter((one) => typeof one === 'string').join(': ')
  return said === '' ? otherwise : `the provider says ${printable(said)}`
}

async function endpointOf({ issuer }: Pick<ProviderOffer, 'issuer'>, name: string): Promise<string> {
  const description = `${safe(issuer).replace(/\/$/, '')}/.well-known/openid-configuration`
  const { status, body } = await exchange(description)
  const url = body[name]
  if (status !== 200 || body['issuer'] !== issuer)
    return fail('login.provider-away', `there is no provider that calls itself ${issuer}`)
  if (typeof url === 'string') return safe(url)
  return fail('login.refused', `its description has no ${name}: it knows no logins of this kind`)
}

/** Encrypted, or on this machine. */
function safe(text: string): string {
  const url = URL.parse(text)
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return url.href
  return fail('login.refused', 'its address is not encrypted')
}

async function exchange(
  url: string,
  form?: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  try {
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'error',
      headers: { Accept: 'application/json' },
      signal: AbortSignal.timeout(withinMs),
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    })
    const body: unknown = await response.json().catch(() => undefined)
    return { status: response.status, body: isObject(body) ? (body as JsonObject) : {} }
  } catch (cause) {
    return fail('login.provider-away', `${URL.parse(url)?.origin ?? url} cannot be reached`, { cause })
  }
}
