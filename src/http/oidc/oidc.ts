/** People and platforms of an identity provider: by bearer token, and by a login in a browser (code flow with PKCE). */
import type { Chance, Clock } from '../../kit/clock.ts'
import { sameText, sha256Url } from '../../kit/hash.ts'
import { isObject } from '../../kit/json.ts'
import type { Roles } from '../../model/access.ts'
import { fail } from '../../model/problem.ts'
import type { OidcSettings } from '../../settings/settings.ts'
import type { Account } from '../authenticate.ts'
import type { Signer } from '../sessions.ts'
import { accountOfPerson, personOf } from './claims.ts'
import { type AskProvider, makeProvider, type Provider, unreached } from './provider.ts'

export interface Oidc {
  /** The account that a bearer token speaks of; undefined: it is not believed. Problems: login.provider-away. */
  bearer(token: string): Promise<Account | undefined>
  /** The account of a person that has logged in; undefined: there is no provider any more. */
  person(name: string, values: readonly string[]): Account | undefined
  /** Where a browser goes to log in, and what it must bring back. Problems: login.not-offered, login.provider-away. */
  begin(to: string): Promise<{ readonly location: string; readonly pass: string }>
  /** The account that has come back, and where it goes. Problems: login.refused, login.provider-away. */
  end(
    came: URLSearchParams,
    pass: string | undefined,
  ): Promise<{ readonly account: Account; readonly to: string }>
  /** What programs need for logins of their own; undefined: there is no provider. */
  offer():
    | {
        readonly name: string
        readonly issuer: string
        readonly clientId: string
        readonly scopes: readonly string[]
        readonly byBrowser: boolean
      }
    | undefined
}

export interface OidcParts {
  /** As they are at the moment. */
  settings(): OidcSettings
  roles(): Roles
  readonly ask: AskProvider
  readonly signer: Signer
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly chance: Pick<Chance, 'bytes'>
}

/** Where the provider sends browsers back to, below the address that browsers know. */
export const callbackPath = '/api/login/oidc/callback'

/** How long a person may take at the provider. */
export const passMs = 600_000

type Ready = OidcSettings & { readonly issuer: string; readonly clientId: string }

export function makeOidc(parts: OidcParts): Oidc {
  const { clock } = parts
  const providerNow = makeProviderNow(parts)
  const account = (claims: Parameters<typeof personOf>[0], settings: Ready): Account | undefined => {
    const person = personOf(claims, settings)
    return person && accountOfPerson(person, { ...settings, roles: parts.roles() })
  }
  return {
    async bearer(token) {
      const now = providerNow()
      if (now === undefined) return undefined
      const { settings, provider } = now
      const audiences = [settings.clientId, cliClientOf(settings), ...settings.audiences]
      const claims = await provider.believed(token, { audiences })
      return claims && account(claims, settings)
    },
    person(name, values) {
      const settings = readyOf(parts.settings())
      return settings && accountOfPerson({ name, values }, { ...settings, roles: parts.roles() })
    },
    async begin(to) {
      const { settings, provider } = providerNow() ?? fail('login.not-offered')
      const state = randomText(parts)
      const [nonce, verifier] = [randomText(parts), randomText(parts)]
      const location = new URL(await provider.endpoint('authorization_endpoint'))
      for (const [name, value] of Object.entries({
        response_type: 'code',
        client_id: settings.clientId,
        redirect_uri: redirectOf(settings),
        scope: settings.scopes.join(' '),
        ...{ state, nonce },
        code_challenge: sha256Url(verifier),
        code_challenge_method: 'S256',
      }))
        location.searchParams.set(name, value)
      const pass = writePass(parts, { state, nonce, verifier, to, at: clock.now() })
      return { location: location.href, pass }
    },
    async end(came, text) {
      const { settings, provider } = providerNow() ?? fail('login.not-offered')
      const pass =
        readPass(parts, text) ?? fail('login.refused', 'this browser has begun no login, or too long ago')
      if (!sameText(came.get('state') ?? '', pass.state))
        fail('login.refused', 'it is the answer to another login')
      const issuer = came.get('iss')
      if (issuer !== null && issuer !== settings.issuer) fail('login.refused', 'another provider answered')
      if (came.has('error')) fail('login.refused', `the provider says ${wordOf(came.get('error'))}`)
      const token = await exchange(parts, { settings, provider }, { code: came.get('code') ?? '', pass })
      const claims = await provider.believed(token, { audiences: [settings.clientId], nonce: pass.nonce })
      const found = claims && account(claims, settings)
      return {
        account: found ?? fail('login.refused', 'the token of the provider is not believed'),
        to: pass.to,
      }
    },
    offer() {
      const settings = readyOf(parts.settings())
      return (
        settings && {
          name: settings.name,
          issuer: settings.issuer,
          clientId: cliClientOf(settings),
          scopes: settings.scopes,
          byBrowser: settings.externalUrl !== undefined,
        }
      )
    },
  }
}

/** What a provider may say of a refusal, without anything that could be more than a word. */
function wordOf(error: string | null): string {
  return /^[\w.-]{1,60}$/.exec(error ?? '')?.[0] ?? 'no'
}

function readyOf(settings: OidcSettings): Ready | undefined {
  const { issuer, clientId } = settings
  return issuer === undefined || clientId === undefined ? undefined : { ...settings, issuer, clientId }
}

function cliClientOf({ clientId, cliClientId }: Ready): string {
  return cliClientId ?? clientId
}

function redirectOf({ externalUrl }: Ready): string {
  const url =
    externalUrl ?? fail('login.not-offered', 'auth.oidc.externalUrl does not say where browsers come back to')
  return url.replace(/\/$/, '') + callbackPath
}

interface Now {
  readonly settings: Ready
  readonly provider: Provider
}

/** The provider of the settings as they are; another one is asked anew. */
function makeProviderNow({ settings, ask, clock }: OidcParts): () => Now | undefined {
  let made: { readonly of: string; readonly provider: Provider } | undefined
  return () => {
    const ready = readyOf(settings())
    if (ready === undefined) return undefined
    const { issuer, clockSkew: skewMs } = ready
    const of = JSON.stringify([issuer, skewMs])
    if (made?.of !== of) made = { of, provider: makeProvider({ issuer, skewMs, ask, clock }) }
    return { settings: ready, provider: made.provider }
  }
}

function randomText({ chance }: Pick<OidcParts, 'chance'>): string {
  return Buffer.from(chance.bytes(32)).toString('base64url')
}

/** Trades the code for the token that speaks of the person. */
async function exchange(
  { ask }: Pick<OidcParts, 'ask'>,
  { settings, provider }: Now,
  { code, pass }: { readonly code: string; readonly pass: Pass },
): Promise<string> {
  const { clientId, clientSecret } = settings
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectOf(settings),
    code_verifier: pass.verifier,
    ...(clientSecret === undefined ? { client_id: clientId } : {}),
  })
  const authorization = clientSecret && basicOf(clientId, clientSecret.reveal())
  const url = await provider.endpoint('token_endpoint')
  const answer = await ask(url, { body, ...(authorization ? { authorization } : {}) }).catch(unreached)
  if (answer.status >= 500) fail('login.provider-away', `it answered ${answer.status}`)
  const token = answer.status === 200 && isObject(answer.body) ? answer.body['id_token'] : undefined
  return typeof token === 'string' ? token : fail('login.refused', 'the provider did not take its code back')
}

/** Both are form-encoded first (RFC 6749, 2.3.1). */
function basicOf(id: string, secret: string): string {
  const [first, second] = [id, secret].map((one) => new URLSearchParams([['', one]]).toString().slice(1))
  return `Basic ${Buffer.from(`${first}:${second}`).toString('base64')}`
}

/** What a browser carries through its login; signed, so that it comes from here. */
interface Pass {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Where it goes afterwards. */
  readonly to: string
  readonly at: number
}

function writePass({ signer }: OidcParts, { state, nonce, verifier, to, at }: Pass): string {
  const key = signer.active()
  const body = Buffer.from(JSON.stringify([key, state, nonce, verifier, to, at])).toString('base64url')
  return `${body}.${signer.sign(key, body) ?? ''}`
}

function readPass({ signer, clock }: OidcParts, text: string | undefined): Pass | undefined {
  const [body = '', signature = '', ...more] = text?.split('.') ?? []
  if (body === '' || signature === '' || more.length > 0) return undefined
  try {
    const all: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
    if (!Array.isArray(all)) return undefined
    const [key, state, nonce, verifier, to, at] = all as readonly string[]
    const expected = signer.sign(String(key), body)
    if (expected === undefined || !sameText(signature, expected)) return undefined
    const age = clock.now() - Number(at)
    if (!(age >= 0 && age < passMs)) return undefined
    return {
      state: String(state),
      nonce: String(nonce),
      verifier: String(verifier),
      to: String(to),
      at: Number(at),
    }
  } catch {
    return undefined
  }
}
