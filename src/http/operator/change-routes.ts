/** The route that tells pages when to look again. */
import type { Clock } from '../../kit/clock.ts'
import { type Access, isEverywhere, type Permission, reachOf } from '../../model/access.ts'
import type { Look } from '../../store/store.ts'
import { look, route, type ServerEvent } from './route.ts'

const lookAgainMs = 500

export const changeRoutes = [
  route({
    method: 'GET',
    url: '/changes',
    needs: 'read:broker',
    tag: 'broker',
    summary:
      'Server-sent events `change`, the first at once, then one whenever something was ordered, ended or done in the tenants that the account sees; their number grows',
    audit: look,
    handle: ({ account, signal }, { broker: { store, clock } }) => {
      const events = followChanges(clock, markFor(account.access, store.look), signal)
      return Promise.resolve({ kind: 'events', events })
    },
  }),
]

/** Each of them, held everywhere, shows what goes on in all tenants. */
const seeingAll: readonly Permission[] = ['read:operations', 'read:cluster', 'read:audit']

type Mark = () => Promise<string>

/**
 * Whatever changes is written down in the audit trail in the same transaction, so that its height tells of it. A caller
 * that sees some tenants learns of those only, and of nothing that happens in others.
 */
function markFor(access: Access, look: Pick<Look, 'auditWritten' | 'changeMark'>): Mark {
  const seesAll = seeingAll.some((permission) => isEverywhere(reachOf(access, permission)))
  if (seesAll) return async () => String(await look.auditWritten())
  const shown = (['read:operations', 'read:instances', 'read:audit'] as const).flatMap((one) =>
    reachOf(access, one),
  )
  const tenants = new Set(shown)
  return () => look.changeMark([...tenants])
}

async function* followChanges(clock: Clock, markNow: Mark, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  let told: string | undefined
  let height = 0
  while (!signal.aborted) {
    const mark = await markNow()
    if (mark !== told) {
      told = mark
      // It grows also for a caller that comes again.
      height = Math.max(height + 1, clock.now())
      yield { event: 'change', id: height, data: { height } }
    }
    await clock.sleep(lookAgainMs, signal)
  }
  yield { event: 'reconnect', data: {} }
}
