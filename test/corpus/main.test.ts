/** The corpus runner: what it is given and cannot judge has failed, so that nothing passes unseen. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder } from '../support/image.ts'

const unknown = join(freshFolder('corpus'), 'unknown-table.json')
writeFileSync(unknown, '{"cases":[{"name":"nobody knows this"}]}')

function run(...words: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['test/corpus/main.ts', ...words], { encoding: 'utf8' })
  return { status, said: `${stdout}${stderr}` }
}

test.each(['apb', 'brokerpak', 'cnab', 'hil', 'ocm', 'osb', 'spiff', 'toi', 'tweed'])(
  'a table that the topic %s does not know has failed',
  (topic) => {
    const { status, said } = run(topic, unknown)
    expect(said).toMatch(/\n0 passed, 1 failed\n$/)
    expect(status).toBe(1)
  },
)

test('a file that is not there has failed', () => {
  const { status, said } = run('cnab', '/nowhere/cases.json')
  expect(said).toBe('failed: /nowhere/cases.json\n  there is no such file\n0 passed, 1 failed\n')
  expect(status).toBe(1)
})

test.each(['nothing', 'cnab-runs'])('%s is no topic', (name) => {
  const { status, said } = run(name)
  expect(said).toContain('usage: npm run corpus')
  expect(status).toBe(2)
})
