import { afterEach, expect, test, vi } from 'vitest'
import { hearPrinted } from '../../test/support/run-command.ts'
import { widthOf } from '../kit/width.ts'
import { fitted, printTable } from './table.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const titles = ['NAME', 'ID', 'SERVICE', 'PLAN', 'STATE', 'CREATED']
const natural = [12, 36, 20, 12, 14, 12]

test.each([
  [200, natural],
  [100, [12, 23, 20, 12, 14, 9]],
  [60, [9, 9, 9, 9, 14, 9]],
])('in %i columns the widths are %j: the state keeps its own', (room, widths) => {
  expect(fitted(natural, titles, room)).toEqual(widths)
})

test.each([80, 100, 120])(
  'on a terminal of %i columns no line is longer, and every state is whole',
  (room) => {
    const { isTTY } = process.stdout
    process.stdout.isTTY = true
    vi.stubEnv('COLUMNS', String(room))
    vi.stubEnv('NO_COLOR', '1')
    const printed = hearPrinted()
    const row = [
      '数据库 for the shop',
      '3f2a91c0-7d1e-4c1b-9a53-0f1d2c3b4a59',
      'alpha-db',
      'small',
      'deprovisioning',
    ]
    printTable(['NAME', 'ID', 'SERVICE', 'PLAN', 'STATE', 'CREATED'], [[...row, '3 min ago']])
    process.stdout.isTTY = isTTY
    vi.unstubAllEnvs()
    const lines = printed().trimEnd().split('\n')

    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(room)
    expect(lines[1]).toContain('deprovisioning')
    expect(lines[1]).toContain('3f2a91c0')
  },
)
