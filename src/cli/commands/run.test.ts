/** chandler run, as a user runs it: a life of a pretended package, kept on this machine between commands. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { instancesIn } from '../../../test/support/local.ts'
import { runCommand } from '../../../test/support/run-command.ts'
import { register } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'run-cli-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => {
  vi.restoreAllMocks()
})

function run(...words: readonly string[]): Promise<string> {
  return runCommand(register, ['run', 'sim:', ...words, '--data-dir', folder])
}

function code(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'fulfilled',
    (error: { problem: { code: string } }) => error.problem.code,
  )
}

test('an instance lives from command to command until it is deprovisioned', async () => {
  await run('provision', '--name', 'demo', '-p', 'size=3')
  await run('update', '--name', 'demo', '-p', 'colour=red')
  const bound = JSON.parse(await run('bind', '--name', 'demo', '--binding', 'app', '-o', 'json'))
  const echoed = JSON.parse(await run('echo', '--name', 'demo', '-p', 'text=hello', '-o', 'json'))
  await run('unbind', '--name', 'demo', '--binding', 'app')
  await run('deprovision', '--name', 'demo')

  expect(bound).toMatchObject({ kind: 'ActionRun', succeeded: true, binding: { credentials: {} } })
  expect(JSON.parse(echoed.outputs[0].text)).toEqual({ text: 'hello' })
  expect(await code(run('bind', '--name', 'demo'))).toBe('instance.unknown')
})

test('what is kept is sealed, and goes with the instance', async () => {
  await run('provision', '--name', 'sealed', '-p', 'motto=open-and-shut')

  expect(spawnSync('grep', ['-r', 'open-and-shut', folder]).status).toBe(1)
  expect(await instancesIn(folder)).toContain('sealed')
  await run('deprovision', '--name', 'sealed')
  expect(await instancesIn(folder)).not.toContain('sealed')
})

test('the files of an action are written where they are wanted', async () => {
  await run('provision', '--name', 'files')
  await run('echo', '--name', 'files', '-p', 'a=1', '--outputs', join(folder, 'out'))
  await run('deprovision', '--name', 'files')

  expect(JSON.parse(readFileSync(join(folder, 'out', 'parameters.json'), 'utf8'))).toEqual({ a: 1 })
})

test('a failed run is a problem, and what it left is cleared by deprovision', async () => {
  const failing = '{"sim":{"create":{"outcome":"fail"}}}'

  expect(await code(run('provision', '--name', 'bad', '--parameters', failing))).toBe('operation.failed')
  expect(await code(run('bind', '--name', 'bad'))).toBe('instance.failed')
  expect(await code(run('deprovision', '--name', 'bad'))).toBe('fulfilled')
})

test.each([
  [['nonsense'], 'action.unknown'],
  [['provision', '--plan', 'nosuch'], 'catalog.plan-unknown'],
  [['update', '--plan', 'default'], 'usage.invalid'],
  [['deprovision'], 'instance.unknown'],
])('%j is refused as %s', async (words, expected) => {
  expect(await code(run(...words, '--name', 'refused'))).toBe(expected)
})

test('a second provision or bind under the same name is refused', async () => {
  await run('provision', '--name', 'twice')
  await run('bind', '--name', 'twice')

  expect(await code(run('provision', '--name', 'twice'))).toBe('instance.exists')
  expect(await code(run('bind', '--name', 'twice'))).toBe('binding.exists')
  expect(await code(run('unbind', '--name', 'twice', '-p', 'a=1'))).toBe('usage.invalid')
  await run('unbind', '--name', 'twice')
  await run('deprovision', '--name', 'twice')
})
