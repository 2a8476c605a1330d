/** The spiff commands, run as a user runs them. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { runCommand } from '../../../test/support/run-command.ts'
import { register } from './spiff.ts'

const folder = mkdtempSync(join(tmpdir(), 'spiff-cli-'))

afterEach(() => {
  vi.restoreAllMocks()
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
