import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensurePrograms } from '../support/debian.ts'
import type { Case } from './case.ts'
import { playCase } from './case-run.ts'
import { caseFormat, casesOf, type OpenTheatre, openTheatre } from './cases.ts'
import { readTables } from './files.ts'

const cases = new Map(
  readTables(['test/corpus/tweed/cases'])
    .filter(({ format }) => format === caseFormat)
    .flatMap(casesOf)
    .map((one): [string, Case] => [one.id, one]),
)

/** What the contract promises, and the cases that fail when it is not kept; `npm run corpus -- tweed` plays all. */
const guarantees = {
  'the entrypoint gets one argument': ['INV-01', 'INV-02', 'INV-03'],
  'metadata counts by its exit and its content': ['MD-02', 'MD-03', 'MD-04', 'MD-06', 'MD-10', 'MD-11'],
  'metadata has a home, no input and nothing else': ['MD-08', 'MD-09'],
  'what metadata and bind say on standard error is logged and not read': ['MD-05', 'LOG-02'],
  'each operation has its own places below /tweed': ['ENV-01', 'ENV-02', 'ENV-03', 'ENV-04', 'INV-06'],
  'home is writable and thrown away': ['ENV-05'],
  'the credential store is kept, nested, limited and read-only in bind': [
    'CR-01',
    'CR-02',
    'CR-04',
    'CR-05',
    'CR-06',
  ],
  'inputs come from both sides and cannot be changed': ['IN-01', 'IN-02'],
  'outputs are shown as announced': ['OUT-01'],
  'streams are merged and mean nothing': ['LOG-01', 'LOG-03', 'LOG-05'],
  'a failed provision leaves state, log and store for its deprovision': ['ST-02', 'LOG-04', 'CR-08'],
  'bind counts by its map': ['ST-10', 'ST-14', 'HX-05', 'HX-06'],
  'a failed bind is recorded and can be undone': ['ST-08', 'ST-09'],
  'bindings stand on their own': ['ST-04'],
  'a failed unbind keeps the binding, a done one forgets it': ['ST-05', 'ST-11'],
  'a failed deprovision keeps the instance': ['ST-06'],
  'deprovision takes live bindings with it': ['ST-07'],
}

const missing = ensurePrograms('busybox')
let theatre: OpenTheatre

beforeAll(async () => {
  if (missing === undefined) theatre = await openTheatre({ engine: 'embedded' })
})

afterAll(() => theatre?.close())

describe.skipIf(missing !== undefined)('guarantees of the pattern contract', () => {
  test.concurrent.each(Object.entries(guarantees))('%s', async (_, ids) => {
    for (const id of ids) expect([id, await playCase(theatre, cases.get(id)!)]).toEqual([id, []])
  })
})
