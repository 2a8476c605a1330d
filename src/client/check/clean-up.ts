/** Deletes everything that a check ordered, and asks whether it is gone. */
import { describeProblem, toProblem } from '../../model/problem.ts'
import { saidBy } from './exchange.ts'
import { follow, workOf } from './follow.ts'
import type { LedgerEntry } from './ledger.ts'
import { accepts, idsOf } from './orders.ts'
import { type Session, type Setting, sessionFor } from './session.ts'

/** Bindings first, then instances; whatever happens, all are tried. */
export async function cleanUp(setting: Setting): Promise<void> {
  const { stop: _, ...unstopped } = setting
  const session = sessionFor('clean-up', { ...unstopped, mayGoOn: () => undefined })
  const open = setting.ledger.entries().filter(({ fate }) => fate === 'made' || fate === 'unknown')
  const bindings = open.filter(isBinding)
  const instances = open.filter((entry) => !isBinding(entry))
  for (const entry of [...bindings.toReversed(), ...instances.toReversed()]) {
    try {
      await remove(session, entry)
    } catch (error) {
      setting.ledger.settled(entry.path, 'left', describeProblem(toProblem(error)))
    }
  }
  for (const { path, serviceId, planId, fate, proof } of setting.ledger.entries()) {
    if (fate !== 'left') continue
    setting.book.judge({
      rule: 'clean-up.done',
      subject: 'clean-up',
      kept: false,
      expected: `${path} is deleted (service ${serviceId}, plan ${planId})`,
      got: proof ?? '',
    })
  }
}

function isBinding({ path }: LedgerEntry): boolean {
  return path.includes('/service_bindings/')
}

const tries = 5

/** Refused for what runs, and broken, is tried again: an orphan is worse than a late end. */
async function remove(session: Session, entry: LedgerEntry): Promise<void> {
  const query = { ...idsOf(entry), ...(isBinding(entry) && session.minor < 14 ? {} : accepts) }
  const kind = isBinding(entry) ? 'unbind' : 'deprovision'
  let said = ''
  let deleted = false
  // What was deleted is asked for once more: 410 is the proof.
  for (let i = 0; i < tries; i++) {
    const exchange = await session.send({ method: 'DELETE', path: entry.path, query })
    const { status } = exchange.answer
    if (status === 410 || status === 404)
      return session.ledger.settled(entry.path, 'deleted', `DELETE answers ${status}`)
    if (deleted && status === 200) break
    said = saidBy(exchange.answer)
    const state = status === 202 ? await follow(session, workOf(kind, entry, exchange)) : undefined
    deleted = status === 200 || state === 'succeeded' || state === 'gone'
    if (state !== undefined && !deleted) said = `the deletion ended: ${state}`
    if (state === 'in progress') break
    if (!deleted) await session.clock.sleep(1000 * (i + 1))
  }
  session.ledger.settled(
    entry.path,
    deleted ? 'deleted' : 'left',
    deleted ? 'not proved: DELETE does not answer 410' : said,
  )
}
