import { engineSuite } from '../../../test/engine-suite.ts'
import { acts } from '../../../test/engines/run-row.ts'
import { systemClock } from '../../kit/clock.ts'
import type { Step } from '../../model/job.ts'
import { openMemoryEngine } from '../index.ts'
import type { Program } from './index.ts'

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
