/**
 * Everything that must hold: format, lint, types, unused code, the rules of the house, then the tests.
 * With --check all but the tests; with --fast the tests beside the code that start no program and no server.
 */
import { spawnSync } from 'node:child_process'

const steps: readonly (readonly [string, ...string[]])[] = [
  ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.'],
  ['node_modules/.bin/tsc', '--noEmit'],
  ['node_modules/.bin/tsc', '-p', 'src/web'],
  ['node_modules/.bin/knip'],
  // What only tests use does not belong into the product.
  ['node_modules/.bin/knip', '--production'],
  [process.execPath, 'scripts/house.ts'],
]

const [mode, ...others] = process.argv.slice(2)
const given = mode === '--check' || mode === '--fast' ? others : process.argv.slice(2)
const run = (command: string, args: readonly string[]): number =>
  spawnSync(command, args, { stdio: 'inherit' }).status ?? 1

if (mode !== '--fast') {
  for (const [command, ...args] of steps) {
    console.log(`— ${[command.split('/').at(-1), ...args].join(' ')}`)
    if (run(command, args) === 0) continue
    console.log(`${command} found faults\n0 passed, 1 failed`)
    process.exit(1)
  }
}
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
if (mode !== '--check')
  process.exit(run('node_modules/.bin/vitest', ['run', ...(mode === '--fast' ? fast : given)]))
