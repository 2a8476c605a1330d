/** What a command costs that does nothing, against an empty script on the same Node. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { installedProgram } from '../../test/support/installed.ts'
import { median, show } from '../figures.ts'

const rounds = 25

/** Prints the figure. */
export function bench(): void {
  const program = installedProgram()
  const ours: number[] = []
  const floor: number[] = []
  // One after the other in turn, so that a busy machine is busy for both.
  for (let round = 0; round < rounds; round++) {
    ours.push(msOf([program, '--version']))
    floor.push(msOf(['-e', '0']))
  }
  rmSync(dirname(dirname(program)), { recursive: true })
  show([
    {
      name: 'a command that does nothing against node -e 0',
      ours: median(ours),
      floor: median(floor),
      unit: 'ms',
      goal: { atMost: 1.5 },
    },
  ])
}

function msOf(args: readonly string[]): number {
  const startedAt = performance.now()
  spawnSync(process.execPath, args)
  return performance.now() - startedAt
}
