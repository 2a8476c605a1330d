/** Shared readers: many questions at once, each with its own answer. */
import { describe, expect, test } from 'vitest'
import { connectTestDatabase } from '../../../test/support/databases.ts'
import { sharedPostgres } from '../../../test/support/postgres.ts'
import { missingPostgres } from '../../../test/support/stores.ts'

describe.skipIf(missingPostgres !== undefined)('on a server', () => {
  test('each of many questions asked at once gets its own answer, first and again', async () => {
    const database = await connectTestDatabase(await (await sharedPostgres()).database())
    const { reader } = database

    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all([
        ...Array.from({ length: 20 }, (_, i) =>
          reader.get('SELECT ?::text AS a, ?::bigint AS b', `t'${i}`, i),
        ),
        reader.get('SELECT 1::bigint AS nothing WHERE ?::text IS NULL', 'x'),
        ...Array.from({ length: 20 }, (_, i) => reader.get('SELECT ?::bytea AS a', new Uint8Array([i]))),
      ])

      expect(answers.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, i) => ({ a: `t'${i}`, b: i })))
      expect(answers[20]).toBeUndefined()
      expect(answers.slice(21).map((row) => row?.['a'])).toEqual(
        Array.from({ length: 20 }, (_, i) => Buffer.from([i])),
      )
    }
    await database.close()
  })

  test('a question that fails among others fails alone', async () => {
    const database = await connectTestDatabase(await (await sharedPostgres()).database())
    const { reader } = database
    const halve = (i: number) => reader.get('SELECT 10 / ?::bigint AS half', i)
    await Promise.all([halve(1), halve(2)])

    const answers = await Promise.allSettled([halve(5), halve(0), halve(2)])

    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(answers[2]).toMatchObject({ value: { half: 5 } })
    await database.close()
  })
})
