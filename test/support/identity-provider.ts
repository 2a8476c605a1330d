/** An identity provider for tests: the kept npm one, on a free port, whose people need no password. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration, type JWKS } from 'oidc-provider'

export interface IdentityProvider {
  readonly issuer: string
  /** The person that logs in from now on. */
  login(name: string): void
  /** Other keys from now on; tokens of before are not signed by any of them. */
  rotate(keys: JWKS): void
  /** Answers nothing any more, or answers again. */
  away(isAway: boolean): void
  /** How often something of it was asked for, by path. */
  readonly asked: readonly string[]
  stop(): Promise<void>
}

export interface ProviderWish {
  readonly keys: JWKS
  /** Groups of people by name. */
  readonly groups: Readonly<Record<string, readonly string[]>>
  /** Where the broker's browsers come back to. */
  readonly redirectUri: string
}

export const clientSecret = 'secret-of-the-ui+/%'

function configurationOf({ keys, groups, redirectUri }: ProviderWish): Configuration {
  return {
    jwks: keys,
    clients: [
      {
        client_id: 'ui',
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
      {
        client_id: 'cli',
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        redirect_uris: [],
        response_types: [],
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      },
    ],
    claims: { openid: ['sub'], profile: ['groups'] },
    // Claims are in the token that speaks of the person.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, deviceFlow: { enabled: true } },
    // Also for the command line, which keeps its person logged in.
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    pkce: { required: () => true },
    cookies: { keys: ['cookies of a test'] },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, groups: [...(groups[sub] ?? [])] }),
    }),
    loadExistingGrant: async ({ oidc: { client, provider, session, params } }) => {
      const grant = new provider.Grant({
        ...(client === undefined ? {} : { clientId: client.clientId }),
        ...(session?.accountId === undefined ? {} : { accountId: session.accountId }),
      })
      grant.addOIDCScope(String(params?.['scope'] ?? 'openid'))
      await grant.save()
      return grant
    },
  }
}

/** Starts one; stop it when done. */
export async function startIdentityProvider(wish: ProviderWish): Promise<IdentityProvider> {
  const state = { name: 'alice', isAway: false, handle: ((_, response) => response.end()) as RequestListener }
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url?.split('?')[0] ?? '')
    if (state.isAway) request.socket.destroy()
    else state.handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const open = (keys: JWKS): RequestListener => {
    const provider = new Provider(issuer, configurationOf({ ...wish, keys }))
    const callback = provider.callback()
    return (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void callback(request, response)
      void provider.interactionFinished(request, response, { login: { accountId: state.name }, consent: {} })
    }
  }
  state.handle = open(wish.keys)
  return {
    issuer,
    asked,
    login: (name) => {
      state.name = name
    },
    rotate: (keys) => {
      state.handle = open(keys)
    },
    away: (isAway) => {
      state.isAway = isAway
    },
    stop: () => closed(server),
  }
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
