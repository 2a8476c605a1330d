import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'
import { type Log, type LogOptions, openLog } from './log.ts'
import { Secret } from './secret.ts'

test('a line is one JSON object with a time, a level, an event and a constant sentence', () => {
  const { log, lines } = collecting({ always: { node: 'n1' } })

  log.info('operation.accepted', 'An operation was accepted', { operation_id: 'o1' })

  expect(JSON.parse(lines[0] ?? '')).toEqual({
    time: '2026-01-02T03:04:05.006Z',
    level: 'info',
    node: 'n1',
    event: 'operation.accepted',
    operation_id: 'o1',
    msg: 'An operation was accepted',
  })
})

test('what is known later is on every line from then on', () => {
  const { log, lines } = collecting({ always: { version: 'v1' } })

  log.info('a', 'one')
  log.tag({ node: 'n1', cluster: 'c1' })
  log.setLevel('error')
  log.error('a', 'two')

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { version: 'v1', msg: 'one' },
    { version: 'v1', node: 'n1', cluster: 'c1', msg: 'two' },
  ])
})

test('lines below the level are not written, until the level changes', () => {
  const { log, lines } = collecting({ level: 'warn' })

  log.info('a', 'one')
  log.setLevel('debug')
  log.debug('a', 'two')

  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['two'])
})

test('known secrets are taken out by value, and a Secret prints as stars', () => {
  const { log, lines } = collecting({ secrets: () => ['hunter2-hunter2'] })

  log.error('x', 'Failed', {
    detail: 'the password hunter2-hunter2 is wrong',
    password: new Secret('other-secret'),
  })

  expect(lines[0]).not.toContain('hunter2-hunter2')
  expect(lines[0]).not.toContain('other-secret')
  expect(lines[0]).toContain('[redacted]')
})

test('an error keeps its stack and the message of its cause', () => {
  const { log, lines } = collecting({})

  log.error('x', 'Failed', { error: new Error('outer', { cause: new Error('inner') }) })
  const { error } = JSON.parse(lines[0] ?? '')

  expect(error).toMatchObject({ message: 'outer', cause: 'inner' })
  expect(error.stack).toContain('log.test.ts')
})

test('a line that is too long is cut and says so', () => {
  const { log, lines } = collecting({})

  log.info('x', 'Long', { text: 'x'.repeat(100_000) })

  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'Long', event: 'x', cut: true })
})

test('a line that is cut keeps its error', () => {
  const { log, lines } = collecting({})

  log.error('x', 'Failed', {
    text: 'x'.repeat(100_000),
    error: new Error(`too long: ${'y'.repeat(100_000)}`),
  })

  const { error } = JSON.parse(lines[0] ?? '')
  expect(error.name).toBe('Error')
  expect(error.message).toMatch(/^too long: yyy/)
})

test('the form for people shows the sentence first', () => {
  const { log, lines } = collecting({ format: 'pretty' })

  log.warn('x', 'Something is odd', { count: 3, name: 'a' })

  expect(lines[0]).toBe('03:04:05 warn  Something is odd  count=3 name=a\n')
})

test('the form for people shows members by name, digests by their beginning, and a stack in lines', () => {
  const { log, lines } = collecting({ format: 'pretty' })
  const signature = `${'Ab+/'.repeat(21)}Ab==`

  log.info('x', 'Anchored', { anchor: { seq: 7, hash: '0123456789abcdef'.repeat(4), signature }, n: [1] })
  log.error('x', 'Failed', { error: new Error('outer') })

  expect(lines[0]).toBe(
    '03:04:05 info  Anchored  anchor.seq=7 anchor.hash=01234567… anchor.signature=Ab+/Ab+/… n=[1]\n',
  )
  const [first, second] = (lines[1] ?? '').split('\n')
  expect(first).toBe('03:04:05 error Failed  error.name=Error error.message=outer')
  expect(second).toMatch(/^ {4}at .*log\.test\.ts/)
})

test('the form for people shows what others wrote in one line, without signs for the terminal', () => {
  const { log, lines } = collecting({ format: 'pretty' })

  log.warn('x', 'Refused', {
    said: 'a\n03:04:05 info  Ready \u001b[2J',
    list: ['\u009b2J'],
    turned: '\u202eb',
  })

  expect(lines[0]).toBe(
    '03:04:05 warn  Refused  said="a\\n03:04:05 info  Ready \\u001b[2J" list=["\ufffd2J"] turned=\ufffdb\n',
  )
})

function collecting(options: Partial<LogOptions>): { log: Log; lines: string[] } {
  const lines: string[] = []
  const log = openLog({
    level: 'info',
    format: 'json',
    clock: { ...systemClock, now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) },
    always: {},
    secrets: () => [],
    sink: (line) => void lines.push(line),
    ...options,
  })
  return { log, lines }
}
