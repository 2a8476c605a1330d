/** The check of a foreign broker inside a test: as the command does it, with a clock that does not wait. */
import { type BrokerAddress, connectToBroker } from '../../../src/client/broker-connection.ts'
import { type CheckReport, type CheckWish, checkBroker } from '../../../src/client/check/check.ts'
import { lintCatalog } from '../../../src/diagnostics/lint.ts'
import { type Clock, systemClock } from '../../../src/kit/clock.ts'
import { Secret } from '../../../src/kit/secret.ts'
import { account } from './wire.ts'

/** A clock whose sleeps pass at once. */
function hastyClock(): Clock {
  let slept = 0
  return {
    ...systemClock,
    monotonic: () => systemClock.monotonic() + slept,
    sleep: async (ms) => {
      slept += ms
    },
  }
}

export async function judgeBroker(
  address: BrokerAddress,
  wish: Partial<CheckWish> = {},
): Promise<CheckReport> {
  const credentials = { user: account.user, password: new Secret(account.password) }
  const connection = connectToBroker({ credentials, ...address })
  try {
    return await checkBroker({
      connection,
      clock: hastyClock(),
      run: 'test',
      order: true,
      waitMs: 3_600_000,
      budgetMs: 86_400_000,
      stop: new AbortController().signal,
      plans: [],
      paid: false,
      parameters: {},
      lint: (catalog) =>
        lintCatalog(catalog).findings.filter(({ refusedBy }) => refusedBy.includes('specification')),
      listener: { planned: () => undefined, doing: () => undefined, ledger: () => undefined },
      ...wish,
    })
  } finally {
    await connection.close()
  }
}

/** The findings in a line each. */
export function told({ findings }: CheckReport): readonly string[] {
  return findings.map(({ rule, subject, expected, got }) => `${rule} ${subject}: ${expected}, got ${got}`)
}
