/** The route that tells pages when to look again. */
import type { Ports } from '../../broker/ports.ts'
import { look, route, type ServerEvent } from './route.ts'

const lookAgainMs = 500

export const changeRoutes = [
  route({
    method: 'GET',
    url: '/changes',
    needs: 'read:broker',
    tag: 'broker',
    summary:
      'Server-sent events `change`, the first at once, then one whenever something was ordered, ended or done; their number grows',
    audit: look,
    handle: ({ signal }, { broker }) =>
      Promise.resolve({ kind: 'events', events: followChanges(broker, signal) }),
  }),
]

/** Whatever changes is written down in the audit trail in the same transaction, so that its height tells of it. */
async function* followChanges({ store, clock }: Ports, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  let told = -1
  while (!signal.aborted) {
    const height = await store.look.auditWritten()
    if (height !== told) {
      told = height
      yield { event: 'change', id: height, data: { height } }
    }
    await clock.sleep(lookAgainMs, signal)
  }
  yield { event: 'reconnect', data: {} }
}
