/** Tokens that were made on the machine itself: written down, with their reason, before they are worth anything. */
import { readLocalGrant, type SignText } from '../api/local-grant.ts'
import { record } from '../broker/govern.ts'
import type { Clock } from '../kit/clock.ts'
import { sha256 } from '../kit/hash.ts'
import { everyTenant } from '../model/access.ts'
import { type ApiToken, breakGlassAccount, endOfLocalGrant, localGrantMs } from '../model/account.ts'
import type { Store } from '../store/store.ts'

export interface LocalGrantParts {
  readonly store: Pick<Store, 'write'> & { readonly look: Pick<Store['look'], 'isSessionEnded'> }
  readonly clock: Pick<Clock, 'now'>
  readonly node: string
  /** Signs what is made on the machine itself; absent: that is worth nothing. */
  readonly sign?: SignText
}

const grantedRoles = ['operator', 'admin', 'auditor']

/** The token that such a text is from its first use on; undefined: it is none, or it was revoked. */
export async function firstLocalUse(
  { store, clock, sign, node }: LocalGrantParts,
  text: string,
): Promise<ApiToken | undefined> {
  const grant = sign && readLocalGrant(text, sign, clock.now())
  if (grant === undefined || (await store.look.isSessionEnded(endOfLocalGrant(grant.id)))) return undefined
  const { id, reason, issuedAt } = grant
  const token: ApiToken = {
    ...{ id, name: reason, account: breakGlassAccount, digest: sha256(text) },
    grants: grantedRoles.map((role) => ({ role, tenant: everyTenant })),
    createdAt: issuedAt,
    expiresAt: issuedAt + localGrantMs,
  }
  const asker = {
    platform: '',
    account: { kind: 'token', id: `${breakGlassAccount}/${id}` },
    requestId: id,
  } as const
  await store.write(async (tx) => {
    // Another broker may have been quicker.
    if ((await tx.token(token.digest)) !== undefined) return
    await tx.putToken(token)
    await record(tx, { node }, asker, { action: 'access.break-glass', kind: 'token', id: reason })
  })
  return token
}
