/** What the operator hears of a catalog at the start. */
import { expect, test } from 'vitest'
import type { Catalog } from '../broker/catalog.ts'
import { systemClock } from '../kit/clock.ts'
import { openLog } from '../kit/log.ts'
import { tellLint } from './lint.ts'

function linesFor(document: Catalog['document']): readonly unknown[] {
  const lines: unknown[] = []
  const log = openLog({
    level: 'info',
    format: 'json',
    clock: systemClock,
    always: {},
    secrets: () => [],
    sink: (line) => lines.push(JSON.parse(line)),
  })
  tellLint({ document } as Catalog, log)
  return lines
}

const plan = { id: 'p', name: 'small', description: 'A plan.' }

test('every objection is a warning with its place and remedy', () => {
  const lines = linesFor({
    services: [{ id: 's', name: 'alpha', description: '', bindable: true, plans: [plan] }],
  })

  expect(lines).toMatchObject([
    {
      level: 'warn',
      event: 'catalog.objectionable',
      pointer: '/services/0/description',
      remedy: 'Fill it in.',
      refused_by: ['specification', 'cloudfoundry'],
    },
  ])
})

test('a catalog that everybody takes is not worth a word', () => {
  const services = [{ id: 's', name: 'alpha', description: 'A service.', bindable: true, plans: [plan] }]

  expect(linesFor({ services })).toEqual([])
})
