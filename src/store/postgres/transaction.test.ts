import pg from 'pg'
import { expect, test } from 'vitest'
import { sharedPostgres } from '../../../test/support/postgres.ts'
import { missingPostgres } from '../../../test/support/stores.ts'
import { systemClock } from '../../kit/clock.ts'
import { configOf } from './line.ts'
import { makeServerTime } from './server-time.ts'
import { begin } from './transaction.ts'

test.skipIf(missingPostgres !== undefined)(
  'what went wrong first is told, though a statement behind it is one that the connection knows',
  async () => {
    const url = await (await sharedPostgres()).database()
    const client = new pg.Client(configOf({ url, poolSize: 1, statementMs: 5000 }))
    await client.connect()
    try {
      await client.query(`CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint'`)
      const time = makeServerTime(systemClock, 1000, () => undefined)
      const before = begin(client, time)
      const earlier = before.member()
      await earlier.run('CREATE TABLE taken (n int PRIMARY KEY)')
      await earlier.run('INSERT INTO taken VALUES (1)')
      await earlier.get('SELECT n FROM taken')
      expect(await before.commit()).toEqual({ kind: 'committed' })

      const transaction = begin(client, time)
      const member = transaction.member()
      await member.send('INSERT INTO taken VALUES (?)', 1)
      const asked = member.get('SELECT n FROM taken').catch(() => undefined)
      await new Promise<void>((resolve) => setImmediate(() => resolve(standStill())))
      await asked
      await transaction.rollback()

      expect(transaction.firstError()).toMatchObject({ code: '23505' })
    } finally {
      await client.end()
    }
  },
)

/** Long enough that all answers are there when the client reads again. */
function standStill(): void {
  const until = performance.now() + 300
  while (performance.now() < until);
}
