/** What commands have done and what lints have found, as programs and editors read it. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { runCommand } from '../../../test/support/run-command.ts'
import { register as apb } from './apb.ts'
import { register as cnab } from './cnab.ts'
import { register as config } from './config.ts'
import { register as init } from './init.ts'
import { register as pak } from './pak.ts'
import { register as tweed } from './tweed.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-test-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = 0
})
afterAll(() => rmSync(folder, { recursive: true }))

const at = (name: string): string => join(folder, name)
const json = async (register: (program: Command) => void, ...words: readonly string[]) =>
  JSON.parse(await runCommand(register, words))

test.each([
  ['tweed', tweed, 'tweed', 'image.yml'],
  ['apb', apb, 'apb', 'apb.yml'],
  ['pak', pak, 'brokerpak', 'manifest.yml'],
  ['cnab', cnab, 'cnab', 'bundle.json'],
] as const)('%s init names its files and the next command', async (noun, register, contract, file) => {
  const place = at(`${noun} started`)
  const written = await json(register, noun, 'init', place, '-o', 'json')

  expect(written).toMatchObject({ kind: 'NewPackage', contract, folder: place })
  expect(written.files).toContain(join(place, file))
  // Blanks in a path are quoted, so that the command can be given as it stands.
  expect(written.next).toContain(`'${join(place, noun === 'cnab' ? 'bundle.json' : '')}`.replace(/\/$/, ''))
})

test('a starter configuration is told with its file, its passwords and the next commands', async () => {
  const written = await json(init, 'init', at('broker'), '-o', 'json')
  const checked = await json(config, 'config', 'validate', '--config', written.file, '-o', 'json')

  expect(written).toMatchObject({ kind: 'Configuration', secrets: join(at('broker'), 'secrets') })
  expect(written.next[0]).toBe(`chandler serve --config ${written.file}`)
  expect(checked).toMatchObject({ kind: 'ConfigCheck', valid: true, file: written.file })
})

test('pak validate tells what is wrong in JSON and as SARIF, and ends with 9', async () => {
  await runCommand(pak, ['pak', 'init', at('pak')])
  expect(await json(pak, 'pak', 'validate', at('pak'), '-o', 'json')).toMatchObject({ valid: true })
  writeFileSync(join(at('pak'), 'manifest.yml'), 'packversion: 1\nname: thing\n')

  const told = await json(pak, 'pak', 'validate', at('pak'), '-o', 'json')
  const sarif = await json(pak, 'pak', 'validate', at('pak'), '-o', 'sarif')

  expect(told.valid).toBe(false)
  expect(told.findings.length).toBeGreaterThan(0)
  expect(sarif.runs[0].results.length).toBe(told.findings.length)
  expect(process.exitCode).toBe(9)
})

test.each([
  { noun: 'spiff', file: 'template.yml', text: 'a: (( 1 + ))\n' },
  { noun: 'osb', file: 'catalog.json', text: '{"services": [{"name": "a"}]}' },
  { noun: 'apb', file: 'apb.yml', text: 'version: 1\nname: a\n' },
])('$noun lint writes SARIF that names the file, and ends with 9', ({ noun, file, text }) => {
  writeFileSync(at(file), text)
  const words = ['bin/chandler.mjs', noun, 'lint', at(file), '-o', 'sarif']
  const { stdout, status } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  const [run] = JSON.parse(stdout).runs

  expect(status).toBe(9)
  expect(run.results.length).toBeGreaterThan(0)
  expect(run.results[0].locations[0].physicalLocation.artifactLocation.uri).toContain(file)
})
