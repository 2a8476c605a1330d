/** Callers that the settings do not name: of the store, of the machine, of an identity provider, which is asked within bounds. */
import type { Ports } from '../broker/ports.ts'
import type { Gate } from '../http/authenticate.ts'
import { makeOidc, type Oidc } from '../http/oidc/oidc.ts'
import type { AskProvider } from '../http/oidc/provider.ts'
import { makeStoredAccounts, type StoredAccounts } from '../http/stored-accounts.ts'
import { present } from '../kit/present.ts'
import { fail } from '../model/problem.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyRing } from '../store/keys.ts'
import { signerOf } from './signing.ts'

const withinMs = 10_000
const bytesMax = 1_048_576

interface CallerParts {
  readonly ports: Pick<Ports, 'store' | 'clock' | 'chance' | 'node'>
  readonly gate: Gate
  readonly ring: Pick<KeyRing, 'active' | 'find'>
  /** As they are at the moment. */
  readonly settings: () => Settings
}

/** Callers that the settings do not name: accounts and tokens of the store, and people of a provider. */
export function openCallers({ ports, gate, ring, settings }: CallerParts): {
  readonly oidc: Oidc
  readonly stored: StoredAccounts
} {
  const { store, clock, chance, node } = ports
  const oidc = makeOidc({
    ...{ ask, clock, chance, roles: gate.roles },
    settings: () => settings().auth.oidc,
    signer: signerOf(ring, 'logins under way'),
  })
  const { sign } = signerOf(ring, 'grants of the machine')
  const stored = makeStoredAccounts({ store, gate, clock, chance, node, sign, bearer: oidc.bearer })
  return { oidc, stored }
}

/** No redirect is followed: what a provider names is asked, and nothing else. */
const ask: AskProvider = async (url, form) => {
  const response = await fetch(url, {
    method: form === undefined ? 'GET' : 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(withinMs),
    headers: present({ Accept: 'application/json', Authorization: form?.authorization }),
    ...present({ body: form?.body }),
  })
  return { status: response.status, body: JSON.parse(await bounded(response)) as unknown }
}

async function bounded(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.body ?? []) {
    size += piece.byteLength
    if (size > bytesMax) fail('login.provider-away', 'it says too much')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
