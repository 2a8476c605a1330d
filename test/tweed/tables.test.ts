import { describe, expect, test } from 'vitest'
import { readTables } from './files.ts'
import { judges } from './tables.ts'

const tables = readTables(['test/corpus/tweed/tables']).filter(({ format }) => format in judges)

test('the tables are here', () => {
  expect(tables.map(({ document }) => document.cases?.length)).toEqual([30, 25, 24])
})

describe.each(tables)('$path', ({ format, document }) => {
  test.each((document.cases ?? []).map((row) => [row.id, String(row['title'] ?? ''), row] as const))(
    '%s %s holds',
    async (_id, _title, row) => {
      expect(await judges[format]?.(row)).toBeUndefined()
    },
  )
})
