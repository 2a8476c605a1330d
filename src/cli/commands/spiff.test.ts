/** The spiff commands, run as a user runs them. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { runCommand } from '../../../test/support/run-command.ts'
import { register } from './spiff.ts'

const folder = mkdtempSync(join(tmpdir(), 'spiff-cli-'))

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function run(...words: readonly string[]): Promise<string> {
  return runCommand(register, ['spiff', ...words])
}

const template = file(
  'template.yml',
  'db:\n  host: localhost\n  port: (( 5000 + offset ))\noffset: (( &temporary(32) ))\nlist: [1, 2]\n',
)
const stub = file('stub.yml', 'db: {host: (( "db." domain ))}\ndomain: example.com\n')

test('merge prints the template with the stubs', async () => {
  expect(await run('merge', template, stub)).toBe(
    'db:\n  host: db.example.com\n  port: 5032\nlist:\n- 1\n- 2\n',
  )
})

test('merge prints JSON, parts, and expressions over the result', async () => {
  expect(await run('merge', template, '--json', '--path', 'db')).toBe('{"host":"localhost","port":5032}\n')
  expect(await run('merge', template, '--path', 'list', '--split')).toBe('---\n1\n---\n2\n')
  expect(await run('merge', template, '--select', 'db.host', '--select', 'list')).toBe(
    'host: localhost\nlist:\n- 1\n- 2\n',
  )
  expect(await run('merge', template, '--evaluate', 'db.port + length(list)')).toBe('5034\n')
})

test('merge keeps streams, and reads JSON as YAML', async () => {
  const stream = file('stream.yml', 'a: 1\n---\nb: (( 1 + 1 ))\n')

  expect(await run('merge', stream)).toBe('---\na: 1\n---\nb: 2\n')
  expect(await run('merge', file('a.json', '{"a": "(( 1 + 1 ))"}'), '--json')).toBe('{"a":2}\n')
})

test('merge binds definitions and files of bindings', async () => {
  const bound = file('bound.yml', 'a: (( values.x ))\nb: (( other ))\n')
  const bindings = file('bindings.yml', 'other: 7\n')

  expect(await run('merge', bound, '-D', 'values.x=hi', '--bindings', bindings)).toBe('a: hi\nb: 7\n')
})

test('an address without an answer is told in one cause', async () => {
  const address = 'http://127.0.0.1:9/template.yml'

  await expect(run('merge', address)).rejects.toMatchObject({
    problem: {
      code: 'spiff.document.unreadable',
      detail: expect.not.stringMatching(/node|\n/),
      where: { source: address },
      hint: 'Check the address, or name a file.',
    },
  })
})

test('merge honours features, and leaves the unresolved when asked to', async () => {
  const text = file('features.yml', 'name: x\nv: a (( name )) b\nc: {"<<if": true, "<<then": 1}\n')

  expect(await run('merge', text, '--features', 'interpolation,control')).toBe('c: 1\nname: x\nv: a x b\n')
  expect(await run('merge', file('partial.yml', 'a: (( nosuch ))\n'), '--partial')).toBe('a: (( nosuch ))\n')
})

test('merge keeps state from run to run', async () => {
  const text = file('state.yml', 's: (( &state(merge || rand("[:alnum:]", 12)) ))\n')
  const state = join(folder, 'kept.yml')

  const first = await run('merge', text, '--state', state)
  const second = await run('merge', text, '--state', state)

  expect(existsSync(state)).toBe(true)
  expect(readFileSync(state, 'utf8')).toBe(first)
  expect(second).toBe(first)
})

test('merge explains where a value came from', async () => {
  expect(await run('merge', template, stub, '--explain', 'db.host')).toBe(
    `db.example.com\n  from the stub ${stub} at db.host, in place of "localhost"\n  computed in ${stub} at db.host by (( "db." domain ))\n`,
  )
})

test('explain knows temporary fields and says what is there instead', async () => {
  expect(await run('merge', template, '--explain', 'offset')).toBe(
    `32\n  temporary: seen during the run, not printed\n  computed in ${template} at offset by (( &temporary ((32)) ))\n`,
  )
  await expect(run('merge', template, '--explain', 'db.name')).rejects.toMatchObject({
    problem: { code: 'spiff.path.absent', detail: 'db.name: db has host, port' },
  })
})

test('eval sees the document processed, and what does not settle hurts only who asks', async () => {
  const manifest = file('manifest.yml', 'a: (( &temporary(2) ))\nb: (( a + 1 ))\nc: (( nosuch ))\n')

  expect(await run('eval', 'a + b', manifest)).toBe('5\n')
  await expect(run('eval', 'c', manifest)).rejects.toMatchObject({
    problem: { code: 'spiff.template.fault' },
  })
  await expect(run('eval', 'nosuch')).rejects.toMatchObject({
    problem: { detail: "'nosuch' not found\n nosuch \n ^" },
  })
})

test('process shows the document to the template', async () => {
  const data = file('data.json', '{"x": 3}')
  const view = file('view.yml', 'z: (( document.x + 1 ))\n')

  expect(await run('process', data, view)).toBe('z: 4\n')
})

test('eval evaluates over the fields of a document', async () => {
  expect(await run('eval', '1 + 2')).toBe('3\n')
  expect(await run('eval', 'map[list|x|->x * 10]', file('l.yml', 'list: [1, 2]\n'), '--json')).toBe(
    '[10,20]\n',
  )
})

test('private runs have no world', async () => {
  await expect(run('eval', 'env("HOME")', '--private')).rejects.toMatchObject({
    problem: { code: 'spiff.template.fault' },
  })
})

test('lint names place and fault, and fails for errors', async () => {
  const bad = file('bad.yml', 'a: 1\nb: (( lenght("x") ))\n')

  await expect(run('lint', bad)).rejects.toMatchObject({ problem: { code: 'spiff.template.fault' } })
  expect(vi.mocked(process.stdout.write).mock.calls.join('')).toContain(
    `${bad}:2:4: error: b: unknown function 'lenght'; did you mean length()?`,
  )
  expect(await run('lint', template)).toBe('')
})

test('what cannot be read, resolved or found is a problem', async () => {
  await expect(run('merge', join(folder, 'absent.yml'))).rejects.toMatchObject({
    problem: { code: 'spiff.document.unreadable' },
  })
  await expect(run('merge', file('broken.yml', 'a: [1'))).rejects.toMatchObject({
    problem: { code: 'spiff.document.unreadable', where: { line: 1 } },
  })
  await expect(run('merge', file('fails.yml', 'a: 1\nbad: (( nosuch ))'))).rejects.toMatchObject({
    problem: {
      code: 'spiff.template.fault',
      where: { line: 2, column: 6 },
      detail: expect.stringContaining("*'nosuch' not found"),
    },
  })
  await expect(run('merge', template, '--path', 'no.such')).rejects.toMatchObject({
    problem: { code: 'spiff.path.absent' },
  })
  await expect(run('eval', '[1..3000000]', '--private')).rejects.toMatchObject({
    problem: { code: 'spiff.limit.reached' },
  })
  await expect(run('merge', template, '-D', 'a..b=1')).rejects.toMatchObject({
    problem: { code: 'spiff.document.unreadable' },
  })
})

test('features may be repeated, and unknown ones are refused', async () => {
  const both = file('both.yml', 'a: "x (( 1 + 1 ))"\nb:\n  <<if: true\n  <<then: 2\n')
  const printed = 'a: x 2\nb: 2\n'

  expect(await run('merge', both, '--features', 'interpolation', '--features', 'control')).toBe(printed)
  expect(await run('merge', both, '--features', 'interpolation,control')).toBe(printed)
  await expect(run('merge', both, '--features', 'contol')).rejects.toThrow('there is no feature "contol"')
})

test.each([
  ['interpolation', ['control'], 'a: x 2\nb: 2\n'],
  ['interpolation,control', [], 'a: x 2\nb: 2\n'],
  ['interpolation,control', ['nocontrol'], 'a: x 2\nb:\n  <<if: true\n  <<then: 2\n'],
  ['', ['interpolation'], 'a: x 2\nb:\n  <<if: true\n  <<then: 2\n'],
])(
  'features of the environment (%j) come first, those of the command (%j) add to them',
  async (set, given, wanted) => {
    const both = file('both.yml', 'a: "x (( 1 + 1 ))"\nb:\n  <<if: true\n  <<then: 2\n')
    vi.stubEnv('SPIFF_FEATURES', set)

    expect(await run('merge', both, ...given.flatMap((one) => ['--features', one]))).toBe(wanted)
  },
)

test('a definition that would drop another one is refused', async () => {
  await expect(run('merge', template, '-D', 'v=X', '-D', 'v.x=Y')).rejects.toThrow('both a value and a map')
  await expect(run('merge', template, '-D', 'v.x=Y', '-D', 'v=X')).rejects.toThrow('both a value and a map')
})

test('lint takes the functions of the host', async () => {
  const hosted = file('hosted.yml', 'a: (( lookup("x") ))\n')

  expect(await run('lint', hosted, '--function', 'lookup')).toBe('')
  await expect(run('lint', hosted)).rejects.toThrow('1 error')
})

test('convert prints without processing', async () => {
  const raw = file('raw.yml', 'a: [1, (( x ))]\nb: yes\n')

  expect(await run('convert', raw)).toBe('a:\n- 1\n- (( x ))\nb: true\n')
  expect(await run('convert', raw, '--json', '--path', 'a')).toBe('[1,"(( x ))"]\n')
})

test('convert selects fields and keeps streams', async () => {
  const raw = file('parts.yml', 'a: {x: 1, z: 2}\nb: 3\n')

  expect(await run('convert', raw, '--select', 'a.z', '--select', 'b')).toBe('b: 3\nz: 2\n')
  expect(await run('c', file('two.yml', 'b: 1\na: 2\n---\nc: 3\n'))).toBe('---\na: 2\nb: 1\n---\nc: 3\n')
})

test.each([
  ['no differences', 'a: 1\nb: [x]\n', 'b:\n- x\na: 1\n', 'no differences!\n'],
  ['a value', 'a: {b: 1}\n', 'a: {b: 2}\n', 'Difference in a.b\n  A has:\n    1\n  B has:\n    2\n'],
  [
    'a field on one side',
    'a: 1\n',
    'b: {c: 2}\n',
    'Difference in a\n  A has:\n    1\nDifference in b\n  B has:\n    c: 2\n',
  ],
  [
    'named entries in another order',
    'l: [{name: x, v: 1}, {name: z}]',
    'l: [{name: z}, {name: x, v: 1}]',
    'no differences!\n',
  ],
  [
    'a named entry',
    'l: [{name: x, v: 1}, {name: z}]',
    'l: [{name: z}, {name: x, v: 2}]',
    'Difference in l.x.v\n  A has:\n    1\n  B has:\n    2\n',
  ],
  ['more entries', 'l: [1]', 'l: [1, 2]', 'Difference in l.[1]\n  B has:\n    2\n'],
  [
    'jobs in another order',
    'jobs: [{name: x}, {name: z}]',
    'jobs: [{name: z}, {name: x}]',
    'Difference in jobs.x.index\n  A has:\n    0\n  B has:\n    1\nDifference in jobs.z.index\n  A has:\n    1\n  B has:\n    0\n',
  ],
  ['a map and a list of named entries', 'm: {x: {v: 1}}', 'm: [{name: x, v: 1}]', 'no differences!\n'],
  [
    'streams',
    'a: 1\n---\nb: 1\n',
    'a: 1\n---\nb: 2\n',
    'No difference in document 1\nDifference in document 2 b\n  A has:\n    1\n  B has:\n    2\n',
  ],
  ['streams of other lengths', 'a: 1\n---\nb: 1\n', 'a: 1\n', 'Different number of documents (2 != 1)\n'],
  ['a text and a number', 'a: "1"\n', 'a: 1\n', 'Difference in a\n  A has:\n    "1"\n  B has:\n    1\n'],
])('diff tells %s', async (_what, a, b, printed) => {
  const [left, right] = [file('left.yml', a), file('right.yml', b)]
  const shown = await run('diff', left, right)

  expect(shown.replaceAll(left, 'A').replaceAll(right, 'B')).toBe(printed)
})

test('diff prints a separator behind each difference', async () => {
  const [left, right] = [file('left.yml', 'a: 1\nb: 1\n'), file('right.yml', 'a: 2\n')]

  expect((await run('d', left, right, '--separator', '---')).match(/^---$/gm)).toHaveLength(2)
})

test('encrypt and decrypt are those of the language', async () => {
  const secret = file('secret.yml', 'password: geheim\n')

  const sealed = await run('encrypt', secret, 'key')
  expect(sealed).toMatch(/^[0-9a-f]{96,}\n$/)
  expect(await run('encrypt', '-d', file('sealed', sealed), 'key')).toBe('password: geheim\n')
  expect(await run('e', '-d', file('sealed', sealed), 'key', '3DES')).toBe('password: geheim\n')
  const reading = file('reading.yml', `a: (( decrypt("${sealed.trim()}", "key") ))\n`)
  expect(await run('merge', reading, '--path', 'a')).toBe('password: geheim\n')
})

test('encrypt takes the key of the environment, and refuses none, another, and an unknown method', async () => {
  const secret = file('secret.yml', 'password: geheim\n')
  vi.stubEnv('SPIFF_ENCRYPTION_KEY', '')
  await expect(run('encrypt', secret)).rejects.toThrow('the encryption key is empty')
  await expect(run('encrypt', secret, 'key', 'AES')).rejects.toThrow('there is no encryption method "AES"')
  await expect(run('encrypt', file('broken.yml', 'a: [1'), 'key')).rejects.toMatchObject({
    problem: { code: 'spiff.document.unreadable' },
  })

  vi.stubEnv('SPIFF_ENCRYPTION_KEY', 'key')
  const sealed = file('sealed', await run('encrypt', secret, '3DES'))
  expect(await run('encrypt', '-d', sealed)).toBe('password: geheim\n')
  await expect(run('encrypt', '-d', sealed, 'other')).rejects.toThrow('invalid key')
  vi.unstubAllEnvs()
})

test('files are known by tags', async () => {
  const lib = file('lib.yml', 'host: (( "db." domain ))\ndomain: example.com\n')
  const tagged = file('tagged.yml', 'a: (( lib::host ))\nb: (( my.lib::domain ))\n')
  const more = file('more.yml', 'c: (( lib::host ))\n')

  expect(await run('merge', tagged, '--tag', `lib:${lib}`, '--tag', `my:lib:${lib}`)).toBe(
    'a: db.example.com\nb: example.com\n',
  )
  expect(await run('merge', file('inner.yml', 'c: x\n'), more, '--tag', `lib:${lib}`)).toBe(
    'c: db.example.com\n',
  )
  expect(await run('eval', 'lib::host', '--tag', `lib:${lib}`)).toBe('db.example.com\n')
  await expect(run('merge', tagged, '--tag', lib)).rejects.toThrow('is no tag with a file')
})

test('what state was there before stays beside it; a stream has none', async () => {
  const text = file('counting.yml', 'v: (( &state(1) ))\nm: (( &state(2) ))\n')
  const state = file('counted.yml', 'v: 5\n')
  await run('merge', text, '--state', state)

  expect(readFileSync(state, 'utf8')).toBe('m: 2\nv: 5\n')
  expect(readFileSync(`${state}.bak`, 'utf8')).toBe('v: 5\n')
  const asJson = join(folder, 'counted')
  await run('merge', text, '--state', asJson, '--json')
  expect(readFileSync(asJson, 'utf8')).toBe('{"m":2,"v":1}\n')
  await expect(run('merge', file('s.yml', 'a: 1\n---\nb: 2\n'), '--state', state)).rejects.toThrow(
    'a stream of several documents has no state',
  )
})

test('standard input is read once', () => {
  const { status, stderr } = chandler('spiff', 'merge', template, '-', '-')

  expect(stderr).toContain('standard input cannot be read twice')
  expect(status).toBe(2)
})

test('expr is evaluate', async () => {
  expect(await run('merge', template, '--expr', 'db.port')).toBe('5032\n')
})

test('debug tells on standard error where every field came from', async () => {
  const { status, stdout, stderr } = chandler('spiff', 'merge', template, stub, '--debug')

  expect(stderr).toContain(`db.host: db.example.com\n  from the stub ${stub} at db.host`)
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'db:\n  host: db.example.com\n  port: 5032\nlist:\n- 1\n- 2\n',
  })
})

test.each([
  [['merge', join(folder, 'absent.yml')], 9],
  [['merge', file('failing.yml', 'a: (( nosuch ))\n')], 9],
  [['merge', template, '--features', 'contol'], 2],
  [['merge', template, '--nonsense'], 2],
  [['merge'], 2],
  [['diff', template], 2],
])('spiff %j ends with exit code %i', (words, code) => {
  const { status, stderr } = chandler('spiff', ...words)

  expect({ status, said: stderr !== '' }).toEqual({ status: code, said: true })
})

/** The program itself, as a user starts it. */
function chandler(...words: readonly string[]) {
  return spawnSync(process.execPath, ['bin/chandler.mjs', ...words], { encoding: 'utf8', input: '{}\n' })
}
