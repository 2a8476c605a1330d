/** Everything that must hold: format, lint, types, unused code, then the tests; with --check all but the tests. */
import { spawnSync } from 'node:child_process'

const steps: readonly (readonly [string, ...string[]])[] = [
  ['biome', 'check', '--error-on-warnings', '.'],
  ['tsc', '--noEmit'],
  ['knip'],
]

const given = process.argv.slice(2)
const run = (command: string, args: readonly string[]): number =>
  spawnSync(`node_modules/.bin/${command}`, args, { stdio: 'inherit' }).status ?? 1

for (const [command, ...args] of steps) {
  console.log(`— ${command} ${args.join(' ')}`)
  if (run(command, args) !== 0) {
    console.log(`${command} found faults\n0 passed, 1 failed`)
    process.exit(1)
  }
}
if (!given.includes('--check')) process.exit(run('vitest', ['run', ...given]))
