/** Settings of durable operations: how many, how long, and what happens when one is interrupted. */
import { duration, group, integer } from './kinds.ts'

const ofKind = (kind: string, fallback: string) =>
  duration({ doc: `Until ${kind} must have ended.`, fallback, reload: true })

export const operationSettings = group('How work is carried out.', {
  concurrency: integer({
    doc: 'Operations running at once on this node; 0 means twice the processors, at least 4.',
    fallback: 0,
    reload: true,
  }),
  perPlatform: integer({
    doc: 'Operations of one platform running at once, over all nodes.',
    fallback: 10,
    least: 1,
    reload: true,
  }),
  lease: duration({ doc: 'How long a node owns an operation without a sign of life.', fallback: '15s' }),
  heartbeat: duration({
    doc: 'How often a node gives a sign of life; at most a third of the lease.',
    fallback: '5s',
  }),
  deadline: group('When an operation must have ended, whatever happens.', {
    provision: ofKind('a provision', '2h'),
    update: ofKind('an update', '2h'),
    deprovision: ofKind('a deprovision', '2h'),
    bind: ofKind('a bind', '30m'),
    unbind: ofKind('an unbind', '30m'),
    action: ofKind('a custom action', '1h'),
  }),
  stopGrace: duration({
    doc: 'What programs may need between the polite stop and the kill. An operation that is overdue by this and a minute ends, whatever its engine does.',
    fallback: '30s',
    reload: true,
  }),
  syncWait: duration({
    doc: 'How long a request may wait for work that is answered inside the request.',
    fallback: '55s',
  }),
  sweep: duration({ doc: 'How often leftovers are looked for.', fallback: '60s', reload: true }),
})
