/** The pages that show commands: every command is executed, and what it prints is compared. */
import { readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newFolder } from '../support/broker.ts'
import { runPage } from '../support/console.ts'
import { installedProgram } from '../support/installed.ts'

let program: string
beforeAll(() => {
  program = installedProgram()
})
afterAll(() => rmSync(dirname(dirname(program)), { recursive: true, force: true }))

test.each([
  ['README.md', 15],
  ['docs/operators.md', 15],
  ['docs/developers.md', 8],
])('%s does what it says', async (page, atLeast) => {
  const folder = newFolder()
  try {
    expect(await runPage(readFileSync(page, 'utf8'), { folder, program })).toBeGreaterThan(atLeast)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
