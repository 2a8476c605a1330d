import { systemClock } from '../../src/kit/clock.ts'
import type { Step } from '../../src/model/job.ts'
import { engineSuite } from '../engine-suite.ts'
import { openMemoryEngine, type Program } from '../support/memory-engine.ts'
import { acts } from './run-row.ts'

/** The programs of the table, found by the script that they stand for. */
const programOf = (step: Step): Program | undefined =>
  step.command.kind === 'exec' ? acts.get(step.command.argv.at(-1) ?? '') : undefined

engineSuite({
  name: 'memory',
  shell: false,
  open: async () =>
    openMemoryEngine({
      clock: systemClock,
      program: programOf,
    }),
})
