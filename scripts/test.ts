/**
 * Everything that must hold: format, lint, types, unused code, the rules of the house, then the tests.
 * With --check all but the tests; with --fast the tests beside the code that start no program and no server.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  addUp,
  closingLine,
  exchanged,
  failedFiles,
  failureLines,
  outcomeVariable,
  type RunOutcome,
} from '../test/run-outcome.ts'

const steps: readonly (readonly [string, ...string[]])[] = [
  ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.'],
  ['node_modules/.bin/tsc', '--noEmit'],
  ['node_modules/.bin/tsc', '-p', 'src/web'],
  ['node_modules/.bin/knip'],
  // What only tests use does not belong into the product.
  ['node_modules/.bin/knip', '--production'],
  [process.execPath, 'scripts/house.ts'],
]

/** Parts whose tests are about values: none starts a program, waits for a server or writes more than a few files. */
const fast = [
  'src/kit',
  'src/model',
  'src/contracts',
  'src/languages',
  'src/broker',
  'src/api',
  'src/settings',
  'test/house.test.ts',
]

/** More failed files than this are no matter of chance. */
const atMostAgain = 5

const [mode, ...others] = process.argv.slice(2)
const given = mode === '--check' || mode === '--fast' ? others : process.argv.slice(2)
const run = (command: string, args: readonly string[], environment = process.env): number =>
  spawnSync(command, args, { stdio: 'inherit', env: environment }).status ?? 1

if (mode === '--fast') process.exit(run('node_modules/.bin/vitest', ['run', ...fast, ...given]))
for (const [command, ...args] of steps) checked(command, args)
if (mode === '--check') process.exit(0)
// Brokers and commands are started from the bundle, as an installation starts them.
checked(process.execPath, ['scripts/build.ts'])
process.exit(given.length > 0 ? judged(runTests(given)) : judged(steadied(runTests([]))))

/** Ends everything when this step finds faults. */
function checked(command: string, args: readonly string[]): void {
  console.log(`— ${[command.split('/').at(-1), ...args].join(' ')}`)
  if (run(command, args) === 0) return
  console.log(`${command} found faults\n0 passed, 1 failed`)
  process.exit(1)
}

/** Runs these files, or all; a run that ended without an outcome is one failure. */
function runTests(files: readonly string[], options: readonly string[] = []): RunOutcome {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-outcome-'))
  const told = join(folder, 'outcome.json')
  // What was built just now need not be built again by each file that wants it.
  const environment = { ...process.env, [outcomeVariable]: told, CHANDLER_TEST_BUILT: resolve('dist') }
  const status = run('node_modules/.bin/vitest', ['run', ...options, ...files], environment)
  const outcome: RunOutcome = existsSync(told)
    ? JSON.parse(readFileSync(told, 'utf8'))
    : { files: [], elsewhere: [] }
  rmSync(folder, { recursive: true, force: true })
  if (status === 0 || addUp(outcome).failed > 0) return outcome
  return { ...outcome, elsewhere: [...outcome.elsewhere, `the test runner ended with ${status}`] }
}

/**
 * Runs the few files that failed once more, by themselves: what passes then was disturbed by its neighbours or the host, which is told
 * with its name and does not fail the run; what fails again is broken.
 */
function steadied(first: RunOutcome): RunOutcome {
  const files = failedFiles(first)
  if (files.length === 0 || files.length > atMostAgain) return first
  console.log(`\nFailed beside others, and run once more by themselves: ${files.join(', ')}`)
  const second = runTests(files, ['--no-file-parallelism'])
  const failedAgain = new Set(failedFiles(second))
  const unsteady = {
    ...first,
    elsewhere: [],
    files: first.files.filter(({ file }) => !failedAgain.has(file)),
  }
  for (const line of failureLines(unsteady)) console.log(`unsteady: ${line}`)
  return exchanged(first, second)
}

/** Tells what an outcome comes to, in the words every runner understands, and as an exit code. */
function judged(outcome: RunOutcome): number {
  for (const line of failureLines(outcome)) console.log(`failed: ${line}`)
  const sum = addUp(outcome)
  console.log(closingLine(sum))
  return sum.failed === 0 ? 0 : 1
}
