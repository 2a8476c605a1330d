/** Callers that the settings do not name: of the store, of the machine, of an identity provider, which is asked within bounds. */
import type { Ports } from '../broker/ports.ts'
import { reviewsOf } from '../host/cluster-reviews.ts'
import type { Gate } from '../http/authenticate.ts'
import { makeAskProvider } from '../http/oidc/ask-provider.ts'
import { makeOidc, type Oidc } from '../http/oidc/oidc.ts'
import { makeServiceAccounts } from '../http/service-accounts.ts'
import { makeStoredAccounts, type StoredAccounts } from '../http/stored-accounts.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyRing } from '../store/keys.ts'
import { signerOf } from './signing.ts'

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
    ...{ ask: makeAskProvider(() => settings().auth.oidc.caFile), clock, chance, roles: gate.roles },
    settings: () => settings().auth.oidc,
    signer: signerOf(ring, 'logins under way'),
  })
  const { sign } = signerOf(ring, 'grants of the machine')
  const serviceAccount = makeServiceAccounts({
    settings: () => settings().auth.serviceAccounts,
    roles: gate.roles,
    review: reviewsOf(settings().kubernetes, clock),
    clock,
  })
  const bearer = async (token: string) => (await oidc.bearer(token)) ?? (await serviceAccount(token))
  const stored = makeStoredAccounts({ store, gate, clock, chance, node, sign, bearer })
  return { oidc, stored }
}
