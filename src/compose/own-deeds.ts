/** What the process itself did, for the audit trail: it started, took over another configuration, ended. */
import { recordDeed } from '../broker/govern.ts'
import type { Ports } from '../broker/ports.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Log } from '../kit/log.ts'

export type OwnDeed = 'broker.start' | 'broker.stop' | 'config.reload'

/** Writes such deeds down; a store that is away keeps no process from starting or ending. */
export function ownDeeds(
  ports: Ports,
  { auditFailed }: Pick<Metrics, 'auditFailed'>,
  log: Log,
): (action: OwnDeed) => Promise<void> {
  const { node, newId } = ports
  return async (action) => {
    const asker = {
      platform: '',
      account: { kind: 'system', id: node },
      requestId: newId(ports.clock.now()),
    } as const
    try {
      await recordDeed(ports, asker, { action, kind: 'node', id: node })
    } catch (error) {
      auditFailed()
      log.error('audit.failed', 'A deed of the process could not be written down', { action, error })
    }
  }
}
