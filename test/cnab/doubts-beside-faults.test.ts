/** What keeps a bundle from being run hides nothing of what its author should mend. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freshFolder } from '../support/image.ts'
import { runMain } from '../support/run-main.ts'

const home = freshFolder('cnab-doubts')
afterAll(() => rmSync(home, { recursive: true, force: true }))

const doubtful = {
  schemaVersion: '1.2.0',
  name: 'doubtful',
  version: '0.1.0',
  invocationImages: [{ image: 'registry.invalid/app:1' }],
  definitions: { text: { type: 'string' } },
  parameters: { greeting: { definition: 'text', destination: { env: 'GREETING' }, applyTo: ['instal'] } },
  licence: 'MIT',
}
const faulty = { ...doubtful, outputs: { uri: { definition: 'text', path: '/elsewhere' } } }

test.each([
  ['package check', 'an image without its digest', doubtful, 'cnab.image.unpinned'],
  ['package inspect', 'an image without its digest', doubtful, 'cnab.image.unpinned'],
  ['lint', 'an image without its digest', doubtful, 'cnab.image.unpinned'],
  ['package check', 'a path that is none', faulty, 'cnab.path.refused'],
  ['lint', 'a path that is none', faulty, 'cnab.path.refused'],
])('%s tells beside %s what is misspelt', async (command, _fault, bundle, code) => {
  const file = join(home, 'odd.json')
  writeFileSync(file, JSON.stringify(bundle))
  const { exit, said } = await runMain([...command.split(' '), file, '--data-dir', join(home, 'data')])

  expect(exit).toBe(9)
  expect(said).toContain(code)
  expect(said).toMatch(/instal/)
  expect(said).toMatch(/licence/)
})
