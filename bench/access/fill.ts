/** Fills a store with accounts and tokens, as years of use would. */
import { systemChance, systemClock } from '../../src/kit/clock.ts'
import { hashPassword, sha256 } from '../../src/kit/hash.ts'
import { openStore } from '../../src/store/index.ts'
import { openKeyRing } from '../../src/store/keys.ts'

/** A token of the platform of the configuration, and one of a developer in a tenant of its own. */
export const tokens = { platform: 'chd_of-the-platform', developer: 'chd_of-the-developer' } as const

/** Of every account that fills the store. */
export const commonPassword = 'the same for all'

const batch = 1000
const dayMs = 86_400_000

export async function fillAccess(
  dataDir: string,
  { accounts, others }: { readonly accounts: number; readonly others: number },
): Promise<void> {
  const keys = openKeyRing(`${dataDir}/keys.json`, systemChance)
  const store = await openStore({ url: `sqlite:${dataDir}/chandler.db`, keys, clock: systemClock })
  const passwordHash = await hashPassword(commonPassword, systemChance.bytes(16))
  const now = Date.now()
  const account = (name: string) => ({
    ...{ name, kind: 'user' as const, passwordHash, former: [], sessionsEnded: 0 },
    ...{ grants: [{ role: 'developer', tenant: name }], createdAt: now, changedAt: now },
  })
  const token = (id: string, owner: string, text: string) => ({
    ...{ id, name: id, account: owner, digest: sha256(text), grants: [], createdAt: now },
    // Used a moment ago: that it is used now need not be written down.
    ...{ expiresAt: now + 90 * dayMs, usedAt: now + dayMs },
  })
  await store.write(async (tx) => {
    await tx.addAccount(account('developer'))
    await tx.putToken(token('of-the-platform', 'conformance', tokens.platform))
    await tx.putToken(token('of-the-developer', 'developer', tokens.developer))
  })
  const each = async (count: number, write: (tx: Tx, i: number) => Promise<unknown>): Promise<void> => {
    for (let from = 0; from < count; from += batch)
      await store.write(async (tx) => {
        for (let i = from; i < Math.min(count, from + batch); i++) await write(tx, i)
      })
  }
  await each(accounts, (tx, i) => tx.addAccount(account(`account-${i}`)))
  await each(others, (tx, i) => tx.putToken(token(`token-${i}`, `account-${i % accounts}`, `chd_${i}`)))
  await store.close()
}

type Tx = Parameters<Parameters<Awaited<ReturnType<typeof openStore>>['write']>[0]>[0]
