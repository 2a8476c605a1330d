import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensurePrograms } from '../support/debian.ts'
import { BrokerTables } from './broker-tables.ts'
import { type OpenTheatre, openTheatre } from './cases.ts'
import { readTables, type TableFile } from './files.ts'
import type { Row } from './tables.ts'

const [outcomes] = readTables(['test/corpus/tweed/tables/osb-outcomes.yaml'])
const [states] = readTables(['test/corpus/tweed/tables/state-machine.yaml'])
const [identifiers] = readTables(['test/corpus/tweed/tables/identifiers.yaml'])
const missing = ensurePrograms('busybox')
let theatre: OpenTheatre
let tables: BrokerTables

beforeAll(async () => {
  if (missing !== undefined) return
  theatre = await openTheatre({ engine: 'embedded' })
  tables = await BrokerTables.open(theatre)
})

afterAll(async () => {
  await tables?.close()
  theatre?.close()
})

const rows = (table: TableFile | undefined, name: string) => (table?.document[name] ?? []) as readonly Row[]
const transitions = (name: string) =>
  rows(states, name).map((row) => [row['from'], row['event'], row] as const)

describe.skipIf(missing !== undefined)('a broker with a pattern', () => {
  test.concurrent.each(
    (outcomes?.document.cases ?? []).map((row) => [row.id, row['operation'], row['outcome'], row] as const),
  )('%s: %s, %s answers as the table says', async (_id, _operation, _outcome, row) => {
    expect(await tables.judgeOsb(row)).toEqual([])
  })

  test.concurrent.each(transitions('instance'))('an instance that is %s: %s', async (_from, _event, row) => {
    expect(await tables.judgeInstance(row)).toEqual([])
  })

  test.concurrent.each(transitions('binding'))('a binding that is %s: %s', async (_from, _event, row) => {
    expect(await tables.judgeBinding(row)).toEqual([])
  })

  test.concurrent.each(rows(identifiers, 'instanceIds').map((row) => [row.id, row['want'], row] as const))(
    'an instance called "%s" is %s',
    async (_id, _want, row) => {
      expect(await tables.judgeIdentifier(row)).toEqual([])
    },
  )
})
