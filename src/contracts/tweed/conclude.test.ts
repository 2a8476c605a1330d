import { expect, test } from 'vitest'
import { conclude, type Ending, report, type Staging, situation } from '../../../test/tweed/stage.ts'
import { describeProblem } from '../../model/problem.ts'
import type { Got, GotFile } from '../../model/report.ts'
import { tweed } from './index.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const tar: Got = { kind: 'bytes', bytes: bytes('new tar') }
const before = { inputs: bytes('{}\n'), credstore: bytes('old tar') }
const operations = ['provision', 'bind', 'unbind', 'deprovision'] as const

async function after(kind: (typeof operations)[number], ending: Ending, staging: Staging = {}) {
  return conclude(kind, await situation({ binding: {}, ...staging }), ending)
}

test.each<[Ending, string]>([
  [{ exit: 7 }, 'The pattern failed: bind ended with status 7 (operation op1)'],
  [
    { end: { kind: 'timed-out' } },
    'The pattern did not finish in time: bind did not end within 900 seconds (operation op1)',
  ],
  [
    { end: { kind: 'not-started', detail: '/nope: no such file' } },
    'The pattern image could not be started: /nope: no such file (operation op1)',
  ],
  [
    { end: { kind: 'limit', limit: 'stdout' } },
    'The pattern printed more than may be read: bind printed more than 1048576 bytes on standard output (operation op1)',
  ],
  [
    { end: { kind: 'limit', limit: 'memory' } },
    'The pattern failed: bind was ended by its memory limit (operation op1)',
  ],
  [{ end: { kind: 'stopped' } }, 'The operation was cancelled: bind was stopped (operation op1)'],
  [
    { end: { kind: 'lost' } },
    'The operation was interrupted and its outcome is unknown: nobody saw how bind ended (operation op1)',
  ],
])('a run that ended as %j fails with its reason', async (ending, description) => {
  const { problems, binding } = await after('bind', { stdout: 'a: b\n', ...ending })

  expect(problems.map(describeProblem)).toEqual([description])
  expect(binding).toBeUndefined()
})

test.each([
  ['user: [', 'tweed.bind.not-yaml'],
  ['- user', 'tweed.bind.not-a-map'],
  ['port: .nan', 'tweed.bind.not-json'],
])('bind that prints %j has failed, and what it printed is not told', async (stdout, code) => {
  const { problems, binding } = await after('bind', { stdout })

  expect(problems.map((problem) => [problem.code, problem.detail])).toEqual([[code, undefined]])
  expect(binding).toBeUndefined()
})

test('an instance memory that has grown too large fails the run and stays as it was', async () => {
  const got: Got = { kind: 'too-large', bytes: 20_000_000 }
  const outcome = await after('provision', { got: { credstore: got } }, { carryover: before })

  expect(outcome.problems.map(({ code }) => code)).toEqual(['tweed.run.credstore'])
  expect(outcome.carryover).toMatchObject({ credstore: before.credstore })
})

test('what bind prints is handed out and kept for unbind as JSON', async () => {
  const outcome = await after('bind', { stdout: 'user: a\nport: 9007199254740993\n' })

  expect(JSON.stringify(outcome.binding?.credentials)).toBe('{"user":"a","port":9007199254740993}')
  expect(new TextDecoder().decode(outcome.bindingCarryover?.['binding'])).toBe(
    '{"user":"a","port":9007199254740993}\n',
  )
})

test('the operator’s additions reach clients only, and one that names nothing is left out', async () => {
  const credentials = {
    uri: 'redis://{{user.name}}:{{ password }}@{{hosts.0}}:{{port}}',
    'no-such': '{{nothing}}',
    map: '{{user}}',
    plain: 'text {x} ${HOME}',
  }
  const stdout = 'user: {name: a}\npassword: p\nport: 6379\nhosts: [h]\n'

  const outcome = await after('bind', { stdout }, { operator: { options: { credentials } } })

  expect(outcome.binding?.credentials).toEqual({
    user: { name: 'a' },
    password: 'p',
    port: 6379,
    hosts: ['h'],
    uri: 'redis://a:p@h:6379',
    plain: 'text {x} ${HOME}',
  })
  expect(new TextDecoder().decode(outcome.bindingCarryover?.['binding'])).not.toContain('uri')
})

test.each<[string, Ending, string | undefined]>([
  ['exit 1 with one map', { exit: 1, stdout: 'user: half\n' }, '{"user":"half"}\n'],
  ['exit 1 without output', { exit: 1 }, undefined],
  ['exit 1 with half a document', { exit: 1, stdout: 'user: [' }, undefined],
  ['a time-out with one map', { end: { kind: 'timed-out' }, stdout: 'user: late\n' }, '{"user":"late"}\n'],
  ['exit 0 with a list', { stdout: '- a\n' }, undefined],
])('a bind that failed with %s hands out nothing and keeps %j for unbind', async (_, ending, kept) => {
  const outcome = await after('bind', ending)

  expect(outcome.problems).toHaveLength(1)
  expect(outcome.binding).toBeUndefined()
  expect(outcome.bindingCarryover).toEqual(kept === undefined ? {} : { binding: bytes(kept) })
})

test.each([
  [
    'a map',
    'user: admin-user\nnested: {token: 1234567890}\n',
    ['{"user":"admin-user","nested":{"token":1234567890}}'],
  ],
  ['something else', 'not a map', ['not a map']],
])('what a failed bind printed as credentials is secret: %s', async (_, stdout, secrets) => {
  const conclusion = tweed.conclude(
    { kind: 'bind' },
    await situation({ binding: {} }),
    report({ stdout, exit: 7 }),
  )

  expect(conclusion.secrets).toEqual(secrets)
})

test('a fault of the bind output never quotes it', async () => {
  for (const stdout of [
    'pw-canary: *pw-canary\n',
    'pw-canary: 1\npw-canary: 2\n',
    '1: pw-canary\n"1": pw-canary\n',
    '"pw-canary',
  ]) {
    const { problems } = await after('bind', { stdout })

    expect(JSON.stringify(problems.map(describeProblem))).not.toContain('pw-canary')
    expect(problems).toHaveLength(1)
  }
})

test.each([
  ['worked', {}],
  ['failed', { exit: 1 }],
  ['was stopped by its time limit', { end: { kind: 'timed-out' } as const }],
])('a provision that %s keeps its store and its inputs', async (_, ending) => {
  const outcome = await after(
    'provision',
    { ...ending, got: { credstore: tar } },
    {
      metadata: { inputs: { a: { default: 1 } } },
    },
  )

  expect(outcome.carryover).toEqual({ inputs: bytes('{"a":1}\n'), credstore: bytes('new tar') })
})

test('a store that cannot be kept fails the provision', async () => {
  const { problems } = await after('provision', { got: { credstore: { kind: 'too-large', bytes: 600_000 } } })

  expect(problems.map(describeProblem)).toEqual([
    'The credential store could not be kept: it holds 600000 bytes of at most 524288',
  ])
})

test('a failed deprovision keeps what it wrote, and what is unknown stays as it was', async () => {
  const wrote = await after('deprovision', { exit: 1, got: { credstore: tar } }, { carryover: before })
  const lost = await after('deprovision', { end: { kind: 'lost' } }, { carryover: before })

  expect(wrote).toMatchObject({ usable: true, repeatable: true })
  expect(wrote.carryover).toEqual({ ...before, credstore: bytes('new tar') })
  expect(lost.carryover).toEqual(before)
})

test('a successful deprovision leaves nothing', async () => {
  expect(await after('deprovision', { got: { credstore: tar } }, { carryover: before })).toEqual({
    problems: [],
    carryover: {},
  })
})

test('bind and unbind leave the instance’s memory alone', async () => {
  expect(await after('bind', { stdout: '{}' }, { carryover: before })).not.toHaveProperty('carryover')
  expect(await after('unbind', {}, { carryover: before })).toEqual({ problems: [] })
  expect(await after('unbind', { exit: 1 })).toMatchObject({
    usable: true,
    problems: [{ code: 'tweed.run.exit' }],
  })
})

test('YAML on the output of provision means nothing', async () => {
  expect(await after('provision', { stdout: 'user: a\n' })).not.toHaveProperty('binding')
})

function file(path: string, content?: string, size?: number): GotFile {
  return {
    path,
    mode: 0o644,
    bytes: size ?? content?.length ?? 0,
    ...(content === undefined ? {} : { content: bytes(content) }),
  }
}

test.each(['worked', 'failed'])('outputs of a provision that %s are shown as announced', async (how) => {
  const metadata = {
    files: [
      { filename: 'a.yml', summary: 'A', description: 'Long A' },
      { filename: 'b.yml' },
      { filename: 'big' },
    ],
  }
  const files = [
    file('z.txt', 'z'),
    file('a.yml', 'a: 1'),
    file('big', undefined, 2_000_000),
    file('extra', 'é\u0000'),
  ]

  const { outputs, message } = await after(
    'provision',
    { exit: how === 'worked' ? 0 : 1, got: { outputs: { kind: 'files', files } } },
    { metadata },
  )

  // A failure has more to say.
  expect(message?.includes('were not written: b.yml') ?? false).toBe(how === 'worked')
  expect(outputs).toEqual([
    {
      name: 'a.yml',
      content: bytes('a: 1'),
      mediaType: 'text/plain',
      bytes: 4,
      summary: 'A',
      description: 'Long A',
      secret: true,
    },
    { name: 'b.yml', content: new Uint8Array(), state: 'missing', secret: true },
    { name: 'big', content: new Uint8Array(), state: 'too-large', bytes: 2_000_000, secret: true },
    {
      name: 'extra',
      content: bytes('é\u0000'),
      mediaType: 'text/plain',
      bytes: 2,
      state: 'undeclared',
      secret: true,
    },
    {
      name: 'z.txt',
      content: bytes('z'),
      mediaType: 'text/plain',
      bytes: 1,
      state: 'undeclared',
      secret: true,
    },
  ])
})

test('of a file over its own limit only name and size are kept, and bytes that are no text stay bytes', async () => {
  const blob: GotFile = { path: 'blob', bytes: 3, mode: 0o644, content: new Uint8Array([0, 255, 254]) }
  const { outputs } = await after(
    'provision',
    { got: { outputs: { kind: 'files', files: [file('long', 'x'.repeat(11)), blob] } } },
    { operator: { options: { outputFileBytes: 10 } } },
  )

  expect(outputs).toMatchObject([
    { name: 'blob', mediaType: 'application/octet-stream', content: blob.content },
    { name: 'long', state: 'too-large', bytes: 11, content: new Uint8Array() },
  ])
})

test('operations are never run twice because their end was not seen', () => {
  expect(operations.map((kind) => tweed.interrupted({ kind }))).toEqual(operations.map(() => 'give-up'))
})
