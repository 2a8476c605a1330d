/** The sandbox: what is not handed in does not exist; what users say is never evaluated. */
import { expect, test } from 'vitest'
import { escapeData, processSpiff, type SpiffOptions } from './index.ts'

function run(text: string, options: SpiffOptions = {}): unknown {
  const result = processSpiff({ name: 'template', text }, [], options)
  return result.kind === 'done' ? result.documents[0]?.value : result.fault.message
}

test.each([
  ['read("x")', 'read'],
  ['read("http://localhost/")', 'read'],
  ['write("x", "y")', 'write'],
  ['tempfile("x")', 'tempfile'],
  ['mkdir("x")', 'mkdir'],
  ['lookup_file("x", ".")', 'lookup'],
  ['list_files(".")', 'listFiles'],
  ['exec("id")', 'exec'],
  ['pipe("x", "cat", "-")', 'pipe'],
  ['env("HOME")', 'env'],
  ['rand()', 'rand'],
  ['bcrypt("x")', 'bcrypt'],
  ['x509genkey()', 'x509genkey'],
  ['wggenkey()', 'wggenkey'],
])('%s is denied', (expression, name) => {
  expect(run(JSON.stringify({ a: `(( ${expression} ))` }))).toContain(
    `*${name}: no OS operations supported in this execution environment`,
  )
})

test('source names are not resolved on a disk', () => {
  expect(run('a: (( __ctx.RESOLVED_FILE ))')).toEqual({ a: 'template' })
})

test('bindings are values, even if they look like expressions', () => {
  const bindings = { plain: 'x', code: '(( 1 + 1 ))', list: [1, 2.5, '((x))'] }

  expect(run('a: (( plain ))\nb: (( list[1] ))', { bindings })).toEqual({ a: 'x', b: 2.5 })
  expect(run('a: (( code ))', { bindings })).toContain("@'code' unresolved")
})

test('a virtual set of files serves read', () => {
  const files = new Map([
    ['a.yml', 'x: (( 1 + 1 ))'],
    ['b.txt', 'text'],
  ])
  const ports = {
    files: {
      read: (path: string) => new TextEncoder().encode(files.get(path) ?? ''),
      kind: (path: string) => (files.has(path) ? ('file' as const) : undefined),
      list: () => [...files.keys()].map((name) => ({ name, folder: false })),
    },
  }

  expect(
    run('a: (( read("a.yml").x ))\nb: (( read("b.txt") ))\nc: (( list_files("/") || "none" ))', { ports }),
  ).toEqual({
    a: 2,
    b: 'text',
    c: 'none',
  })
  expect(run('a: (( write("b.txt", "x") ))', { ports })).toContain('write: no OS operations supported')
})

test('an effect happens once per place, although evaluation starts again', () => {
  let calls = 0
  const programs = {
    run: () => {
      calls++
      return new TextEncoder().encode(`${calls}`)
    },
  }
  const chain = Array.from({ length: 900 }, (_, i) => `k${i}: (( k${i + 1} ))`).join('\n')

  const result = run(`a: (( exec_uncached("x") k0 ))\n${chain}\nk900: z\n`, { ports: { programs } }) as {
    a: string
  }

  expect(result.a).toBe('1z')
  expect(calls).toBe(1)
})

test('functions of the host are called with values', () => {
  const functions = new Map([
    ['getCredentials', ({ args }: { args: readonly unknown[] }) => `for ${args[0]}`],
  ])

  expect(run('a: (( getCredentials("x") ))', { functions })).toEqual({ a: 'for x' })
})

test('escaped data of strangers comes out as it was, in texts and in keys', () => {
  const data = {
    code: '(( exec("id") ))',
    part: 'x (( a )) y ((! b ))',
    '<<': { a: 1 },
    '<<if': true,
    '<<<': [{ '<<': '(( merge ))' }],
    plain: [1, null, '((', 'x'],
  }
  const stub = { name: 'user', text: JSON.stringify({ v: escapeData(data, true) }) }

  const result = processSpiff({ name: 'template', text: 'v: ~' }, [stub], {
    interpolation: true,
    control: true,
  })

  expect(result.kind === 'done' && result.documents[0]?.value).toEqual({ v: data })
})
