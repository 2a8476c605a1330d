/** The tours of the README and of the pages that have one: every command is executed, and what it prints is compared. */
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { newFolder } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { installedProgram } from '../support/installed.ts'
import { playTour } from '../support/tour.ts'
import { toured } from '../support/tours.ts'

let program: string
const folders: string[] = []
beforeAll(() => {
  program = installedProgram()
})
afterAll(() => {
  for (const folder of [...folders, dirname(dirname(program))])
    rmSync(folder, { recursive: true, force: true })
})

const environment = { CHANDLER_HTTP_ADMIN_LISTEN: 'off', CHANDLER_SHUTDOWN_DRAIN_DELAY: '0s' }
const noTerraform = hostEngine() === undefined ? 'there is no terraform and no tofu' : undefined

/** Why a page cannot be played here. */
function missingFor(needs: readonly string[]): string | undefined {
  const programs = needs.filter((name) => name !== 'terraform')
  return (needs.includes('terraform') ? noTerraform : undefined) ?? ensurePrograms(...programs)
}

test.for(toured)(
  'the tour of $page does what it says',
  { timeout: 900_000 },
  async ({ page, atLeast, needs }, { skip }) => {
    const missing = missingFor(needs)
    skip(missing !== undefined, missing)
    const folder = newFolder()
    folders.push(folder)

    const played = await playTour({ page, folder, program, environment })

    expect(played.length).toBeGreaterThan(atLeast)
    for (const { command, expected, printed } of played) {
      expect(printed, `$ ${command}`).toBeDefined()
      for (const pattern of expected) expect(printed, `after $ ${command}`).toMatch(pattern)
    }
  },
)
