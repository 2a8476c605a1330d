import { existsSync, mkdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findControls, groupFolders, removeGroup, sweepGroups } from './cgroups.ts'

const controls = await findControls()

test.skipIf(controls.kind === 'none')(
  'empty groups of runs that are gone are swept when they are old',
  async () => {
    const [gone, there] = ['gone', 'there'].map((name) => `chd-sweeptest-${process.pid}-${name}`)
    const isMade = (run: string | undefined) => groupFolders(controls, `${run}-s0`).some(existsSync)
    for (const run of [gone, there]) {
      for (const folder of groupFolders(controls, `${run}-s0`)) mkdirSync(folder, { recursive: true })
    }
    // Groups of others are none of this test's business.
    const isThere = (run: string): boolean => run !== gone
    await sweepGroups(controls, Date.now(), { isThere })
    const young = [gone, there].map(isMade)
    await sweepGroups(controls, Date.now() + 1, { isThere, olderThanMs: 0 })
    const old = [gone, there].map(isMade)
    removeGroup(controls, `${there}-s0`)

    expect([young, old]).toEqual([
      [true, true],
      [false, true],
    ])
  },
)
