/** Rows: what is printed, where it goes, how much of it. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { apart, captured, merged, printed, type Row } from './row.ts'

const million = 1024 * 1024

/** A program that says one thing on each stream. */
const outAndErr: Pick<Row, 'script' | 'act'> = {
  script: 'echo out; echo err >&2',
  act: ({ stdout, stderr }) => {
    stdout('out\n')
    stderr('err\n')
    return 0
  },
}

export const streamRows: readonly Row[] = [
  {
    title: 'captured output is not logged, errors are',
    ...outAndErr,
    see: (seen) => {
      expect(printed(seen)).toBe('out\n')
      expect(seen.log.toString()).toBe('err\n')
      expect(seen.stderr.toString()).toBe('err\n')
    },
  },
  {
    title: 'logged output goes to the log and not into the report',
    step: { streams: apart({ kind: 'logged' }) },
    ...outAndErr,
    see: (seen) => {
      expect(seen.stdout.toString()).toBe('out\n')
      expect(seen.stderr.toString()).toBe('err\n')
      expect(seen.report.steps[0]?.stdout).toBeUndefined()
    },
  },
  {
    title: 'output for both is logged and captured',
    step: { streams: apart({ kind: 'both', bytesMax: 1000 }) },
    ...outAndErr,
    see: (seen) => {
      expect(printed(seen)).toBe('out\n')
      expect(seen.stdout.toString()).toBe('out\n')
      expect(seen.stderr.toString()).toBe('err\n')
    },
  },
  {
    title: 'merged streams are one log in the order written',
    step: { streams: merged },
    script: 'i=0; while [ $i -lt 200 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done',
    act: ({ stdout, stderr }) => {
      for (let i = 0; i < 200; i++) {
        stdout(`o${i}\n`)
        stderr(`e${i}\n`)
      }
      return 0
    },
    see: (seen) =>
      expect(seen.log.toString()).toBe(Array.from({ length: 200 }, (_, i) => `o${i}\ne${i}\n`).join('')),
  },
  {
    title: 'merged streams keep their order in an image without a shell',
    image: 'bare',
    step: {
      streams: merged,
      command: { kind: 'exec', argv: ['/busybox', 'sh', '-c', 'echo a; echo b >&2; echo c; echo d >&2'] },
    },
    see: (seen) => expect(seen.log.toString()).toBe('a\nb\nc\nd\n'),
  },
  {
    title: 'opening the output anew empties nothing that was printed',
    step: { streams: apart({ kind: 'logged' }) },
    script: 'echo one; echo two >/dev/stdout; echo three; echo four >/dev/stderr; echo five >&2',
    see: (seen) => {
      expect(seen.stdout.toString()).toBe('one\ntwo\nthree\n')
      expect(seen.stderr.toString()).toBe('four\nfive\n')
    },
  },
  {
    title: 'users other than root may open their output anew',
    image: 'app',
    step: { streams: merged },
    script: 'echo one; echo two >/dev/stdout; echo three >/dev/stderr',
    see: (seen) => expect(seen.log.toString()).toBe('one\ntwo\nthree\n'),
  },
  {
    title: 'every byte arrives as it was printed',
    script: String.raw`i=0; while [ $i -lt 256 ]; do printf "\\$(printf %03o $i)"; i=$((i+1)); done`,
    see: ({ report }) =>
      expect([...(report.steps[0]?.stdout ?? [])]).toEqual(Array.from({ length: 256 }, (_, i) => i)),
  },
  {
    title: 'bytes that are no text stay as they are in the log',
    step: { streams: merged },
    script: String.raw`printf '\377\376\000ok'`,
    see: (seen) => expect([...seen.log]).toEqual([255, 254, 0, 111, 107]),
  },
  {
    title: 'a last line without its end is kept',
    step: { streams: merged },
    script: 'printf "one\\ntwo"',
    act: ({ stdout }) => {
      stdout('one\ntwo')
      return 0
    },
    see: (seen) => {
      expect(seen.log.toString()).toBe('one\ntwo')
      expect(seen.report.logTail).toBe('one\ntwo')
    },
  },
  {
    title: 'a program that prints nothing has an empty log',
    script: 'exit 0',
    act: () => 0,
    see: (seen) => {
      expect(seen.log.length).toBe(0)
      expect(printed(seen)).toBe('')
    },
  },
  {
    title: 'output as large as its limit is whole',
    step: { streams: apart({ kind: 'captured', bytesMax: million }) },
    script: `head -c ${million} /dev/zero`,
    see: ({ report }) => {
      expect(report.end).toEqual({ kind: 'finished' })
      expect(report.steps[0]?.stdout?.length).toBe(million)
    },
  },
  {
    title: 'output over its limit ends the run at once',
    step: { streams: apart({ kind: 'captured', bytesMax: 1000 }) },
    script: 'yes; sleep 100',
    see: ({ report }) => {
      expect(report.end).toEqual({ kind: 'limit', limit: 'stdout' })
      expect(report.steps[0]?.stdout?.length ?? 0).toBeLessThanOrEqual(1000)
    },
  },
  {
    title: 'output over its limit is said even when the program has ended already',
    step: { streams: apart({ kind: 'captured', bytesMax: 10 }) },
    script: 'printf 12345678901',
    see: ({ report }) => expect(report.end).toEqual({ kind: 'limit', limit: 'stdout' }),
  },
  {
    title: 'a log of 100 MB arrives whole',
    step: { streams: merged },
    limits: { logBytes: 200 * million },
    script: `yes 0123456789abcde | head -c ${100 * million}`,
    see: (seen) => {
      const expected = createHash('sha256')
      const block = Buffer.from('0123456789abcde\n'.repeat(65536))
      for (let i = 0; i < 100; i++) expected.update(block)

      expect(seen.log.length).toBe(100 * million)
      expect(createHash('sha256').update(seen.log).digest('hex')).toBe(expected.digest('hex'))
    },
  },
  {
    title: 'a log over its limit does not disturb the program, and its end arrives',
    step: { streams: merged },
    limits: { logBytes: million },
    script: `yes | head -c ${20 * million}; echo last words; exit 5`,
    see: (seen) => {
      expect(seen.log.length).toBeGreaterThanOrEqual(million)
      expect(seen.report.logTail.endsWith('last words\n')).toBe(true)
      expect(seen.report.steps[0]?.exit).toBe(5)
    },
  },
  {
    title: 'the log is seen while the program runs',
    step: { streams: merged },
    script: 'echo first; sleep 1; echo second',
    see: ({ pieces, report }) => {
      const [first] = pieces

      expect(pieces.length).toBeGreaterThanOrEqual(2)
      expect(first?.at ?? 0).toBeLessThan(report.finishedAt - 300)
    },
  },
  {
    title: 'the log says which step it is of',
    steps: [
      { name: 'one', command: { kind: 'exec', argv: ['/bin/echo', 'a'] }, environment: {}, streams: merged },
      { name: 'two', command: { kind: 'exec', argv: ['/bin/echo', 'b'] }, environment: {}, streams: merged },
    ],
    see: ({ pieces, log }) => {
      expect(log.toString()).toBe('a\nb\n')
      expect(pieces.map(({ step }) => step)).toEqual(['one', 'two'])
    },
  },
  {
    title: 'the report ends with the last lines of the log',
    step: { streams: captured },
    script: 'i=0; while [ $i -lt 3000 ]; do echo "line $i" >&2; i=$((i+1)); done',
    see: ({ report }) => {
      expect(report.logTail.endsWith('line 2999\n')).toBe(true)
      expect(report.logTail.length).toBeLessThan(16_384)
    },
  },
]
