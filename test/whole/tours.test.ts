/** The tours of the README and of the pages that have one: every command is executed, and what it prints is compared. */
import { readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { newFolder } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { installedProgram } from '../support/installed.ts'
import { playTour } from '../support/tour.ts'

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
const noImages = ensurePrograms('busybox')
const noCurl = ensurePrograms('busybox', 'curl')
const noKeys = ensurePrograms('openssl')
const noTerraform = hostEngine() === undefined ? 'there is no terraform and no tofu' : undefined

type Row = readonly [page: string, atLeast: number, missing: string | undefined]
const rows: readonly Row[] = [
  ['README.md', 15, undefined],
  ['docs/operators.md', 15, undefined],
  ['docs/developers.md', 10, undefined],
  ['docs/drills.md', 25, undefined],
  ['docs/troubleshooting.md', 18, undefined],
  ['docs/platforms.md', 10, undefined],
  ['docs/security.md', 4, undefined],
  ['docs/contracts/sim.md', 8, undefined],
  ['docs/access.md', 20, noKeys],
  ['docs/packages.md', 7, undefined],
  ['docs/contracts/tweed.md', 15, noImages],
  ['docs/contracts/cnab.md', 15, noImages],
  ['docs/contracts/brokerpak.md', 12, noTerraform],
  ['docs/ocm.md', 9, noKeys],
  ['docs/contracts/toi.md', 10, noImages],
  ['docs/contracts/apb.md', 12, noCurl],
  ['docs/conformance.md', 8, undefined],
]

test.for(rows)('the tour of %s does what it says', async ([page, atLeast, missing], { skip }) => {
  skip(missing !== undefined, missing)
  const folder = newFolder()
  folders.push(folder)

  const played = await playTour({ page, folder, program, environment })

  expect(played.length).toBeGreaterThan(atLeast)
  for (const { command, expected, printed } of played) {
    expect(printed, `$ ${command}`).toBeDefined()
    for (const pattern of expected) expect(printed, `after $ ${command}`).toMatch(pattern)
  }
})

test.each(['docs/choosing.md', 'docs/moving-over.md', 'docs/ui.md'])(
  'each command that %s names is executed by a tour, with the options that it names',
  (page) => {
    const named = [...readFileSync(page, 'utf8').matchAll(/`chandler ([^`]+)`/g)]
    const played = rows.flatMap(([tour]) => commandsOf(readFileSync(tour, 'utf8')))
    // What is written large stands for what the reader has.
    const words = named.map(([, text = '']) => text.split(' ').filter((word) => /^[a-z-]+$/.test(word)))
    const untried = words.filter(
      (one) => !played.some((command) => one.every((word) => command.includes(word))),
    )

    expect(named.length).toBeGreaterThan(0)
    expect(untried.map((one) => one.join(' '))).toEqual([])
  },
)

/** The commands of a page that stand in console blocks, word by word. */
function commandsOf(text: string): readonly (readonly string[])[] {
  const blocks = [...text.matchAll(/```console\n(.*?)```/gs)].map(([, block = '']) => block)
  return blocks
    .flatMap((block) => [...block.matchAll(/^\$ .*?chandler (.*)$/gm)])
    .map(([, command = '']) => command.split(' '))
}
