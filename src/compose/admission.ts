/** The admission of a broker's requests, of the parts that it asks. */
import { type Admission, makeAdmission } from '../http/admit.ts'
import type { Gate } from '../http/authenticate.ts'
import { proveConnection } from '../http/connections.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Sources } from '../http/source.ts'
import type { StoredAccounts } from '../http/stored-accounts.ts'
import { systemClock } from '../kit/clock.ts'
import type { Settings } from '../settings/settings.ts'

export function admissionOf(
  { limits }: Settings,
  {
    gate,
    stored,
    sources,
    metrics,
  }: {
    readonly gate: Gate
    readonly stored: StoredAccounts
    readonly sources: Sources
    readonly metrics: Metrics
  },
): Admission {
  return makeAdmission(
    {
      gate,
      stored,
      clock: systemClock,
      source: sources.of,
      proven: proveConnection,
      limited: (side) => metrics.rateLimited(side),
    },
    limits,
  )
}
