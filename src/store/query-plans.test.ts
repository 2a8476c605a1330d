/** Questions asked with each order: the index that answers each holds what there is, not all that there was. */
import { describe, expect, test } from 'vitest'
import { type DatabaseKind, openTestDatabase } from '../../test/support/databases.ts'
import { anInstance, anOperation } from '../../test/support/rows.ts'
import { missingPostgres } from '../../test/support/stores.ts'
import { activeStates } from '../model/operation.ts'
import type { Row, Session, Value } from './database.ts'
import { countInstances, listInstances, putInstance } from './instances.ts'
import { migrate } from './migrate.ts'
import { insertOperation, listOperations } from './operations.ts'

const kinds: readonly DatabaseKind[] = missingPostgres === undefined ? ['sqlite', 'postgres'] : ['sqlite']

/** A session that finds nothing, and keeps how the database would go about each question. */
function explained(session: Session): { session: Session; plans: string[] } {
  const plans: string[] = []
  const explain = session.dialect.name === 'postgres' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN'
  const all = async (text: string, ...values: readonly Value[]): Promise<readonly Row[]> => {
    plans.push(JSON.stringify(await session.all(`${explain} ${text}`, ...values)))
    return []
  }
  const get = async (text: string, ...values: readonly Value[]): Promise<Row | undefined> =>
    (await all(text, ...values))[0]
  return { session: { ...session, all, get }, plans }
}

const tenants = ['acme']

const questions: readonly { what: string; index: string; ask(session: Session): Promise<unknown> }[] = [
  {
    what: 'how many instances there are',
    index: 'instances_present',
    ask: (session) => countInstances(session, undefined, undefined, tenants),
  },
  {
    what: 'which instances there are',
    index: 'instances_present',
    ask: (session) => listInstances(session, { tenants, isPresent: true, most: 1 }),
  },
  {
    what: 'which operations have not ended',
    index: 'operations_open',
    ask: (session) => listOperations(session, { tenants, states: activeStates, most: 1 }),
  },
]

describe.each(kinds)('%s', (kind) => {
  test.each(questions)('$what for a tenant is read from $index', async ({ index, ask }) => {
    const database = await openTestDatabase(kind)
    const plans = await database.write(async (session) => {
      await migrate(session)
      for (let i = 0; i < 300; i++) {
        const instance = `i-${i}`
        await putInstance(session, anInstance({ instance, tenant: 'acme', state: 'gone' }), false)
        const target = { platform: 'cf', instance }
        await insertOperation(session, anOperation({ target, tenant: 'acme', state: 'succeeded' }), i)
      }
      const asked = explained(session)
      await ask(asked.session)
      return asked.plans
    })
    await database.close()

    expect(plans).toEqual([expect.stringContaining(index)])
  })
})
