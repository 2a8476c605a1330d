import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { instancesIn } from '../../../test/support/local.ts'
import { main } from '../main.ts'

const missing = ensurePrograms('busybox')
let place: string
let data: string
let starting: string
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'chandler-tweed-cli-'))
  data = join(place, 'data')
  starting = join(place, 'starting')
  await tweed('init', starting)
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

interface Ran {
  readonly code: number
  readonly out: string
  readonly said: string
}

/** Runs a command in this process, with a data folder of the tests' own. */
function tweed(command: string, ...words: readonly string[]): Promise<Ran> {
  return chandler('tweed', command, ...words)
}

async function chandler(...words: readonly string[]): Promise<Ran> {
  const written = { out: '', said: '' }
  const catching = (key: keyof typeof written) => (chunk: string | Uint8Array) => {
    written[key] += Buffer.from(chunk).toString()
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(catching('out'))
  vi.spyOn(process.stderr, 'write').mockImplementation(catching('said'))
  const folder = words[1] === 'init' ? [] : ['--data-dir', data]
  const code = await main([...words, ...folder])
  process.exitCode = 0
  vi.restoreAllMocks()
  return { code, ...written }
}

/** A copy of the starting pattern with other metadata, or with operations that begin otherwise. */
async function variant(
  name: string,
  metadata: string | undefined,
  operations: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = join(place, name)
  await tweed('init', folder)
  if (metadata !== undefined) writeFileSync(join(folder, 'root/metadata.yml'), metadata)
  const script = join(folder, 'root/pattern')
  const edited = Object.entries(operations).reduce(
    (text, [operation, first]) => text.replace(`  ${operation})\n`, `  ${operation})\n    ${first}\n`),
    readFileSync(script, 'utf8'),
  )
  writeFileSync(script, edited)
  return folder
}

test('init writes a pattern and overwrites nothing', async () => {
  writeFileSync(join(starting, 'README.md'), 'mine\n')

  const again = await tweed('init', starting)

  expect(again.code).not.toBe(0)
  expect(again.said).toContain('image.yml exists')
  expect(readFileSync(join(starting, 'README.md'), 'utf8')).toBe('mine\n')
})

test('a folder without an image.yml cannot be built, and no operation but the four can be run', async () => {
  expect(await tweed('build', join(place, 'nothing'))).toMatchObject({ code: 9 })
  expect(await tweed('run', 'update', starting)).toMatchObject({
    code: 2,
    said: expect.stringContaining('provision, bind, unbind, deprovision'),
  })
})

describe.skipIf(missing !== undefined)('with an engine', () => {
  test('the starting pattern passes its check and a whole life, and nothing is kept', async () => {
    const { code, out, said } = await tweed('check', starting, '--run')

    expect([code, said]).toEqual([0, expect.stringContaining('making demo')])
    expect(out.split('\n')).toEqual([
      'ok: starting 0.1.0 is a pattern',
      'ok: provision',
      'ok: bind',
      'ok: unbind',
      'ok: deprovision',
      '',
    ])
    expect(await instancesIn(data)).toEqual([])
    expect(readdirSync(join(data, 'embedded/runs'))).toEqual([])
  })

  test('check tells programs what it found', async () => {
    const folder = await variant('warned', 'pattern: tweed/v1\nname: a\nversion: x\nicon: {base64: "!"}\n')
    const { code, out } = await tweed('check', folder, '-o', 'json')

    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      kind: 'PatternCheck',
      warnings: [{ code: 'tweed.metadata.version-not-semver' }, { code: 'tweed.metadata.icon' }],
      stages: [],
    })
  })

  test('metadata shows everything a pattern says of itself', async () => {
    const metadata = `pattern: tweed/v1
name: "EndHints \\u0007"
version: 1.10
summary: One line
description: |
  Several
  lines
copyright: 2026
authors: [A, B]
files: [{filename: a/b.txt, summary: A file}]
inputs: {size: {type: integer, default: 3, required: true, description: How large}, any: {}}
`
    const folder = await variant('shown', metadata)
    const { code, out } = await tweed('metadata', folder)
    const document = JSON.parse((await tweed('metadata', folder, '-o', 'json')).out)

    expect(code).toBe(0)
    expect(out).not.toContain('\u0007')
    expect(out.replaceAll(/ +/g, ' ')).toContain(`Version: 1.10
Summary: One line
Description: Several
 lines
Authors: A
 B
Copyright: 2026
Files: a/b.txt A file
Inputs: size (integer, required, default 3) How large
 any
`)
    expect(document).toMatchObject({
      kind: 'Pattern',
      digest: expect.stringMatching(/^sha256:/),
      metadata: { version: '1.10', files: [{ filename: 'a/b.txt' }] },
      schema: { properties: { size: { type: 'integer' } } },
    })
  })

  test('everything that is wrong with the metadata is told at once, with its line', async () => {
    const folder = await variant(
      'wrong',
      'pattern: tweed/v1\nversion: [1]\nauthors: 7\nfiles: [{filename: ../x}]\n',
    )
    const { code, out, said } = await tweed('check', folder)

    expect([code, out]).toEqual([9, ''])
    const told = said.split('\n').filter((line) => line.startsWith('cause: '))
    const place = `cause: ${join(folder, 'root/metadata.yml')} line`
    expect(told).toEqual([
      `${place} 1:1: "name" is missing - Add "name: Guestbook".`,
      `${place} 2:1, /version: is a map or list - Write a text: "version: 1.0.0".`,
      `${place} 3:1, /authors: is no list - Write a list: authors: [Ada]`,
      expect.stringContaining(`${place} 4:10, /files/0/filename: `),
    ])
  })

  test('a life that goes wrong is told where it does, ends with 3, and is cleared away', async () => {
    const folder = await variant('failing', undefined, { bind: 'exit 4', deprovision: 'exit 5' })
    const { code, out } = await tweed('check', folder, '--run')

    expect(code).toBe(3)
    expect(out).toMatch(/^ok: provision\nfailed: bind: .* status 4 .*\nfailed: deprovision: .* status 5 /m)
    expect(await instancesIn(data)).toEqual([])
  })

  test('an author runs one operation after another', async () => {
    const outputs = join(place, 'outputs')
    const made = await tweed('run', 'provision', starting, '-p', 'name=mine', '--outputs', outputs)
    const twice = await tweed('run', 'provision', starting)
    const bound = await tweed('run', 'bind', starting, '--binding', 'app')
    const kept = await instancesIn(data)
    const boundTwice = await tweed('run', 'bind', starting, '--binding', 'app')
    const other = await tweed('run', 'unbind', starting, '--binding', 'other')
    const unbound = await tweed('run', 'unbind', starting, '--binding', 'app')
    const gone = await tweed('run', 'deprovision', starting)
    const after = await tweed('run', 'bind', starting)
    const { password, username } = JSON.parse(bound.out) as Record<string, string>

    expect([made.code, bound.code, unbound.code, gone.code]).toEqual([0, 0, 0, 0])
    expect(made.said).toContain('making mine')
    expect(readFileSync(join(outputs, 'summary.txt'), 'utf8')).toBe('mine was made\n')
    expect(made.out).toMatch(/summary\.txt +present/)
    expect(twice).toMatchObject({ code: 5, out: '' })
    expect(kept).toEqual(['pattern'])
    expect(spawnSync('grep', ['-r', password ?? '', join(data, 'local')]).status).toBe(1)
    expect(bound.said).not.toContain(password)
    expect(boundTwice.said).toContain('run unbind first')
    expect(other).toMatchObject({ code: 4, out: '' })
    expect(unbound.said).toContain('removing account [redacted]')
    expect(unbound.said).not.toContain(username)
    expect(after.said).toContain('Run provision first')
    expect(await instancesIn(data)).toEqual([])
  })

  test('what a broker would refuse is refused, before anything runs', async () => {
    const unknown = await tweed('run', 'provision', starting, '-p', 'nmae=x')
    const invalid = await tweed('run', 'provision', starting, '-p', 'name=7up')
    const ofBinding = await tweed('run', 'bind', starting, '-p', 'name=x')

    expect([unknown.code, invalid.code, ofBinding.code]).toEqual([9, 9, 2])
    expect(unknown.said).toContain('/nmae')
    expect(invalid.said).toContain('/name: must match pattern')
    expect([unknown.said, invalid.said].join('')).not.toContain('making')
  })

  test('a secret that a pattern prints is masked, whichever command runs it', async () => {
    const metadata =
      'pattern: tweed/v1\nname: telltale\nversion: 0.1.0\ninputs: {key: {type: string, writeOnly: true}}\n'
    const folder = await variant('telltale', metadata, { provision: 'echo "key $(input key "$INPUTS")"' })
    const given = ['-p', 'key=canary-4711']

    const ran = await tweed('run', 'provision', folder, '--name', 'telltale', ...given)
    const checked = await tweed('check', folder, '--run', ...given)
    const again = await chandler('run', folder, 'provision', '--name', 'again', ...given)

    for (const { code, out, said } of [ran, checked, again]) {
      expect(code).toBe(0)
      expect(said).toContain('key [redacted]')
      expect(out + said).not.toContain('canary-4711')
    }
    expect(spawnSync('grep', ['-r', 'canary-4711', join(data, 'local')]).status).toBe(1)
  })

  test('a failed provision leaves what its deprovision needs', async () => {
    const folder = await variant('half', undefined, { provision: 'echo half > "$CREDSTORE/name"; exit 7' })
    const failed = await tweed('run', 'provision', folder, '--name', 'half')
    const bound = await tweed('run', 'bind', folder, '--name', 'half')
    const cleared = await tweed('run', 'deprovision', folder, '--name', 'half', '-o', 'json')

    expect([failed.code, bound.code, cleared.code]).toEqual([3, 5, 0])
    expect(failed.said).toContain('provision ended with status 7')
    expect(cleared.said).toContain('removing half')
    expect(JSON.parse(cleared.out)).toMatchObject({ operation: 'deprovision', succeeded: true })
  })
})
