/** One vocabulary for the packages of all contracts: new, lint, test, dev. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { readExamples } from '../../authoring/sources/examples.ts'
import { sourceKinds } from '../../authoring/sources/kind.ts'
import { main } from '../main.ts'

const busyboxMissing = ensurePrograms('busybox') !== undefined
const terraformMissing = ['terraform', 'tofu'].every((name) => spawnSync(name, ['version']).status !== 0)
let place: string
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'chandler-authors-'))
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** Runs a command in this process. */
async function chandler(...words: readonly string[]) {
  let out = ''
  let said = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    out += Buffer.from(chunk).toString()
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    said += Buffer.from(chunk).toString()
    return true
  })
  const before = process.exitCode
  process.exitCode = undefined
  const code = await main(words)
  process.exitCode = before
  vi.restoreAllMocks()
  return { code, out, said }
}

const dataDir = () => ['--data-dir', join(place, 'data')]

describe.each(sourceKinds)('%s', (contract) => {
  const missing = contract === 'brokerpak' ? terraformMissing : busyboxMissing

  test.skipIf(missing)(
    'what new writes has no fault, its examples pass, and every command on packages takes its folder',
    async () => {
      const folder = join(place, `my ${contract}`)
      const made = await chandler('new', contract, folder, '-o', 'json')
      const again = await chandler('new', contract, folder)
      const linted = await chandler('lint', folder, ...dataDir(), '-o', 'json')
      const tried = await chandler('test', folder, ...dataDir(), '--only', 'defaults', '-o', 'json')
      const run = (action: string) => chandler('run', folder, action, '--name', contract, ...dataDir())
      const ran = [await run('provision'), await run('bind'), await run('unbind'), await run('deprovision')]
      const inspected = await chandler('package', 'inspect', folder, ...dataDir(), '-o', 'json')
      const checked = await chandler('package', 'check', folder, '--run', ...dataDir(), '-o', 'json')

      expect(made.code).toBe(0)
      const files: readonly string[] = JSON.parse(made.out).files
      for (const file of files) expect(existsSync(file)).toBe(true)
      expect(files.map((file) => readFileSync(file, 'utf8')).join('\n')).toContain(`my-${contract}`)
      expect([again.code, again.said]).toEqual([1, expect.stringContaining('(file.unwritable)')])
      expect(JSON.parse(linted.out)).toMatchObject({ kind: 'Lint', contract, valid: true, findings: [] })
      expect([JSON.parse(tried.out).items, tried.code]).toEqual([
        [expect.objectContaining({ name: 'defaults', faults: [] })],
        0,
      ])
      expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0])
      expect(JSON.parse(ran[1]?.out ?? '')).toBeTypeOf('object')
      expect(JSON.parse(inspected.out)).toMatchObject({ kind: 'PackageContent', contract })
      expect([checked.code, JSON.parse(checked.out)]).toMatchObject([0, { kind: 'PackageCheck', contract }])
    },
    300_000,
  )
})

test('paks of two folders are two services', async () => {
  const ids: string[] = []
  for (const name of ['one', 'two']) {
    await chandler('new', 'brokerpak', join(place, name))
    ids.push(...(readFileSync(join(place, name, 'service.yml'), 'utf8').match(/id: \S{36}$/gm) ?? []))
  }

  expect([ids.length, new Set(ids).size]).toEqual([6, 4])
})

test('a fault is told with file, line and fix, as SARIF with its place', async () => {
  const folder = join(place, 'faulty')
  await chandler('new', 'apb', folder)
  const file = join(folder, 'apb.yml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('type: string', 'type: strnig'))
  const line =
    readFileSync(file, 'utf8')
      .split('\n')
      .findIndex((text) => text.includes('strnig')) + 1
  const people = await chandler('lint', folder, ...dataDir())
  const editors = await chandler('lint', file, ...dataDir(), '-o', 'sarif')

  expect(people.code).toBe(9)
  expect(people.out).toContain(`${file} line ${line}`)
  expect(people.out).toMatch(/\n {2}fix: \S.*\n/)
  const [run] = JSON.parse(editors.out).runs
  expect([editors.code, run.tool.driver.name, run.results[0]]).toMatchObject([
    9,
    'chandler',
    {
      level: 'error',
      ruleId: run.tool.driver.rules[0].id,
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: expect.stringMatching(/apb\.yml$/) },
            region: { startLine: line },
          },
        },
      ],
    },
  ])
})

test.skipIf(busyboxMissing)(
  'what an example expects and does not get is told, without the values that came',
  async () => {
    const folder = join(place, 'expecting')
    await chandler('new', 'cnab', folder)
    writeFileSync(
      join(folder, 'examples.yml'),
      `examples:
  - {name: other uri, expect: {credentials: {uri: 'greet://nobody', missing: x}}}
  - {name: too long, parameters: {greeting: much too long}, expect: {fails: provision, because: greeting}}
  - {name: never fails, expect: {fails: bind}}
`,
    )
    const { code, out } = await chandler('test', folder, ...dataDir(), '-o', 'json')
    const items: readonly { readonly faults: readonly string[] }[] = JSON.parse(out).items
    writeFileSync(join(folder, 'examples.yml'), 'examples:\n  - {nmae: x}\n')
    const wrong = await chandler('test', folder, ...dataDir())

    expect(code).toBe(3)
    expect(items.map(({ faults }) => faults)).toEqual([
      ['credentials/uri is not "greet://nobody"', 'credentials/missing is missing'],
      [],
      ['bind was to fail, and did not'],
    ])
    expect([wrong.code, wrong.said]).toEqual([9, expect.stringContaining('examples.yml line 2')])
  },
  180_000,
)

test('dev lints again after a change, and ends when it is told to', async () => {
  const folder = join(place, 'developed')
  await chandler('new', 'apb', folder)
  const child = spawn(process.execPath, ['bin/chandler.mjs', 'dev', folder, '--no-run', ...dataDir()])
  let out = ''
  child.stdout.on('data', (bytes) => {
    out += bytes
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    await vi.waitUntil(() => out.includes('ok: '), { timeout: 300_000 })
    const file = join(folder, 'apb.yml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('type: string', 'type: strnig'))
    await vi.waitUntil(() => out.includes('error: '), { timeout: 300_000 })
  } finally {
    child.kill('SIGTERM')
  }

  expect(await ended).toBe(0)
}, 240_000)

test('the examples that the page shows are examples', () => {
  const [, shown = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/authors.md', 'utf8')) ?? []
  const file = join(place, 'shown.yml')
  writeFileSync(file, shown)

  expect(readExamples(file).map(({ name }) => name)).toEqual(['a small one', 'too long'])
})

test('dev says what to do where there are no sources', async () => {
  const { code, said } = await chandler('dev', place)

  expect([code, said]).toEqual([2, expect.stringContaining('chandler new')])
})
