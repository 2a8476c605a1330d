/** The pages on contributing, followed step by step in a copy of the project. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder } from './support/image.ts'

const pages = 'docs/contributing'
/** Those that others stand on come first. */
const order = ['setting', 'problem', 'command', 'contract', 'engine']

test('every page is followed', () => {
  expect(readdirSync(pages).sort()).toEqual(order.map((name) => `${name}.md`).sort())
})

test('what the pages show is a project that passes its checks and its tests', { timeout: 1_800_000 }, () => {
  const copy = copyOfTheProject()
  const bin = resolve('node_modules/.bin')
  const run = (command: string, args: readonly string[], input = ''): string => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, input, encoding: 'utf8' })
    return status === 0 ? '' : `${command} ${args.join(' ')}\n${stdout}${stderr}`
  }
  for (const name of order) {
    for (const [, kind, text = ''] of readFileSync(join(pages, `${name}.md`), 'utf8').matchAll(
      /^```(sh|diff)\n(.*?)^```$/gms,
    ))
      expect(kind === 'sh' ? run('bash', ['-euc', text]) : run('git', ['apply', '-C1', '-'], text)).toBe('')
  }

  expect(run(process.execPath, ['scripts/docs.ts'])).toBe('')
  const changed = ['src/cli', 'src/contracts', 'src/engines/memory', 'src/host', 'src/model', 'src/settings']
  expect(run(join(bin, 'biome'), ['check', '--error-on-warnings', ...changed])).toBe('')
  expect(run(join(bin, 'tsc'), ['--noEmit'])).toBe('')
  expect(run(process.execPath, ['scripts/house.ts'])).toBe('')
  const tests = [
    'src/contracts/note',
    'src/cli/commands/problem.test.ts',
    'test/whole/provoked.test.ts',
    'test/docs.test.ts',
  ]
  expect(run(join(bin, 'vitest'), ['run', ...tests])).toBe('')
})

/** All files that belong to the project, with its packages. */
function copyOfTheProject(): string {
  const copy = freshFolder('contributing')
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  })
  for (const file of files.split('\0').filter((name) => name !== '')) {
    mkdirSync(join(copy, dirname(file)), { recursive: true })
    cpSync(file, join(copy, file), { verbatimSymlinks: true })
  }
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  return copy
}
