/** The first start: a broker without any account tells a token in its log that makes the first one. */
import { makeToken } from '../broker/accounts.ts'
import type { Ports } from '../broker/ports.ts'
import type { Log } from '../kit/log.ts'
import { everyTenant } from '../model/access.ts'
import { setUpAccount } from '../model/account.ts'
import type { Settings } from '../settings/settings.ts'

const validMs = 3_600_000

/** Each start tells another one, and only the last is worth something: no password is the same everywhere. */
export async function inviteFirst({ auth }: Settings, ports: Ports, log: Log): Promise<void> {
  if (auth.users.length > 0 || (await ports.store.look.accounts({ most: 1 })).length > 0) return
  const asker = {
    platform: '',
    account: { kind: 'system', id: ports.node },
    requestId: ports.newId(ports.clock.now()),
  } as const
  const { text } = await makeToken(ports, asker, {
    ...{ id: setUpAccount, name: setUpAccount, account: setUpAccount, forMs: validMs },
    grants: [{ role: 'admin', tenant: everyTenant }],
  })
  log.warn('account.none', 'There is no account yet; make the first one within an hour', {
    setUp: text,
    command: 'CHANDLER_TOKEN=… chandler user add NAME --role operator --role admin --role auditor',
  })
}
