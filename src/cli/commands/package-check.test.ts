/** chandler package check, as an author runs it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { instancesIn } from '../../../test/support/local.ts'
import { runCommand } from '../../../test/support/run-command.ts'
import { register } from './package.ts'

const folder = mkdtempSync(join(tmpdir(), 'check-cli-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => {
  process.exitCode = 0
  vi.restoreAllMocks()
})

function check(...words: readonly string[]): Promise<string> {
  return runCommand(register, ['package', 'check', 'sim:', ...words, '--data-dir', folder])
}

test('a package is driven through its whole life, and nothing is left', async () => {
  expect(await check('--run')).toBe(
    'ok: sim 1.0.0 is a sim package with 1 plan\nok: provision\nok: update\nok: bind\nok: unbind\nok: deprovision\n',
  )
  expect(await instancesIn(folder)).toEqual([])
})

test('a stage that fails is named, what was made is taken down, and the exit code says so', async () => {
  const failing = '{"sim":{"create":{"outcome":"fail"}}}'
  const { stages } = JSON.parse(await check('--run', '--parameters', failing, '-o', 'json'))

  expect(stages).toEqual([
    { action: 'provision', fault: expect.stringContaining('told to fail') },
    { action: 'deprovision' },
  ])
  expect(process.exitCode).toBe(3)
  expect(await instancesIn(folder)).toEqual([])
})

test('what is refused was never begun', async () => {
  expect(await check('--run', '-p', 'sim=3')).toMatch(/^ok: .*\nfailed: provision: .*must be object\n$/)
  expect(process.exitCode).toBe(3)
})

test('what platforms would refuse is refused here, with its place', async () => {
  const bundle = join(folder, 'bundle.json')
  const image = {
    imageType: 'docker',
    image: 'registry.test/wordy:1',
    contentDigest: `sha256:${'0'.repeat(64)}`,
  }
  writeFileSync(
    bundle,
    JSON.stringify({
      schemaVersion: '1.2.0',
      name: 'wordy',
      version: '1.0.0',
      description: 'word '.repeat(3000),
      invocationImages: [image],
    }),
  )
  const checked = runCommand(register, ['package', 'check', bundle, '--data-dir', folder])

  await expect(checked).rejects.toMatchObject({
    problem: {
      code: 'catalog.refused',
      detail: expect.stringMatching(
        /^service wordy, description: has 1\d{4} characters \(refused by cloudfoundry\)/,
      ),
    },
  })
})
