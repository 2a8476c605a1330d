/** An identity provider as seen from here: its description and its keys, asked for when they are needed, kept for a while. */
import type { Clock } from '../../kit/clock.ts'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { isSignedBy, readJwt } from '../../kit/jwt.ts'
import { fail, ProblemError } from '../../model/problem.ts'
import { type Expected, faultOfClaims, isOfKind } from './claims.ts'

/** Asks the provider; answers its status and what it said as JSON. Rejects when it cannot be reached. */
export type AskProvider = (
  url: string,
  form?: { readonly body: URLSearchParams; readonly authorization?: string },
) => Promise<{ readonly status: number; readonly body: unknown }>

export interface Provider {
  /** An address of the description. Problems: login.provider-away. */
  endpoint(name: string): Promise<string>
  /** The claims of a token that is believed; undefined: it is not. Problems: login.provider-away. */
  believed(text: string, expected: Omit<Expected, 'issuer' | 'skewMs'>): Promise<JsonObject | undefined>
}

export interface ProviderParts {
  readonly issuer: string
  readonly skewMs: number
  readonly ask: AskProvider
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

/** So long keys are taken as they were read. */
const freshMs = 600_000
/** A provider that is away may stay so for a while: its keys are believed yet. */
const staleMs = 86_400_000
/** Tokens with unknown keys do not make this process ask all the time. */
const askAgainMs = 10_000

export function makeProvider(parts: ProviderParts): Provider {
  const { issuer, skewMs, clock } = parts
  const description = kept(clock, () => describe(parts))
  const keys = kept(clock, async () => {
    const { body } = await asked(parts, await endpointIn(await description.get(), 'jwks_uri'))
    const list: unknown = isObject(body) ? body['keys'] : undefined
    return Array.isArray(list)
      ? list.filter(isObject).map((key) => key as JsonObject)
      : away('it has no keys')
  })
  const signedBy = (text: string, known: readonly JsonObject[]): JsonObject | undefined => {
    const jwt = readJwt(text)
    if (jwt === undefined || !isOfKind(jwt.header)) return undefined
    const { kid } = jwt.header
    const fitting = known.filter((key) => kid === undefined || key['kid'] === kid)
    return fitting.some((key) => isSignedBy(jwt, key)) ? jwt.claims : undefined
  }
  return {
    endpoint: async (name) => endpointIn(await description.get(), name),
    async believed(text, expected) {
      const claimed = readJwt(text)
      // What was never meant for us costs no question to the provider.
      if (claimed === undefined) return undefined
      const fault = faultOfClaims(claimed.claims, { ...expected, issuer, skewMs }, clock.now())
      if (fault !== undefined) return undefined
      return signedBy(text, await keys.get()) ?? signedBy(text, await keys.renewed())
    },
  }
}

function endpointIn(description: JsonObject, name: string): string {
  const url = description[name]
  return typeof url === 'string' && isSafe(url) ? url : away(`its description has no ${name}`)
}

/** Encrypted, or on this machine. */
export function isSafe(url: string): boolean {
  const { protocol, hostname } = URL.parse(url) ?? {}
  if (protocol === 'https:') return true
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname ?? '')
}

async function describe(parts: ProviderParts): Promise<JsonObject> {
  const { issuer } = parts
  const { body } = await asked(parts, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (!isObject(body) || body['issuer'] !== issuer) return away(`it does not call itself ${issuer}`)
  return body as JsonObject
}

async function asked({ ask }: ProviderParts, url: string): ReturnType<AskProvider> {
  const answer = await ask(url).catch(unreached)
  return answer.status === 200 ? answer : away(`it answered ${answer.status}`)
}

/** Problems: login.provider-away. */
export function unreached(cause: unknown): never {
  if (cause instanceof ProblemError) throw cause
  // Strangers may read it: the kind of fault, and no address.
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return away(typeof code === 'string' ? `it cannot be reached (${code})` : 'it cannot be reached', cause)
}

function away(detail: string, cause?: unknown): never {
  throw new ProblemError({ code: 'login.provider-away', detail, ...(cause === undefined ? {} : { cause }) })
}

interface Kept<T> {
  get(): Promise<T>
  /** Asked for anew, unless that was done a moment ago. */
  renewed(): Promise<T>
}

/** Something of the provider: fresh for a while, and what was known before when it is away. */
function kept<T>(clock: Pick<Clock, 'monotonic'>, read: () => Promise<T>): Kept<T> {
  let known: { readonly value: T; readonly at: number } | undefined
  let triedAt: number | undefined
  let underWay: Promise<T> | undefined
  const ask = (): Promise<T> => {
    underWay ??= read()
      .then((value) => {
        known = { value, at: clock.monotonic() }
        return value
      })
      .finally(() => {
        triedAt = clock.monotonic()
        underWay = undefined
      })
    return underWay
  }
  const orKnown = (error: unknown): T => {
    if (known !== undefined && clock.monotonic() - known.at < staleMs) return known.value
    throw error
  }
  const wasTried = () => triedAt !== undefined && clock.monotonic() - triedAt < askAgainMs
  return {
    async get() {
      if (known !== undefined && (clock.monotonic() - known.at < freshMs || wasTried())) return known.value
      if (known === undefined && wasTried())
        return fail('login.provider-away', 'it could not be reached a moment ago')
      return ask().catch(orKnown)
    },
    async renewed() {
      if (known !== undefined && wasTried()) return known.value
      return ask().catch(orKnown)
    },
  }
}
