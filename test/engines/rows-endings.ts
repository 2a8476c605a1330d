/** Rows: how runs end, by themselves and otherwise. */
import { expect } from 'vitest'
import { folder, gotText, merged, printed, type Row, wantFile } from './row.ts'

const mebibyte = 'dd if=/dev/zero bs=1048576 count=1 2>/dev/null'

/** Ways to take more than 12 MiB, none of which ends by itself before. */
const diskFillers = [
  ['one file', 'while cat /dev/zero >>/big; do :; done 2>/dev/null; exit 1'],
  ['many files', `i=0; while :; do ${mebibyte} >/f$i; i=$((i+1)); sleep 0.02; done`],
  ['in a folder that is wanted back', `i=0; while :; do ${mebibyte} >/out/f$i; i=$((i+1)); sleep 0.02; done`],
  [
    'names without content',
    'mkdir /n; while :; do i=$((i+1)); mkdir /n/$i; cd /n/$i; for k in 1 2 3 4 5 6 7 8 9; do : >$k; done; done',
  ],
  [
    'files without a name',
    `for k in 4 5 6 7 8; do eval "exec $k>/gone"; rm /gone; eval "for n in 1 2 3 4 5 6 7 8 9; do ${mebibyte} >&$k; done"; done; sleep 80`,
  ],
] as const

export const endingRows: readonly Row[] = [
  ...[0, 1, 8, 42, 126, 127, 255].map(
    (status): Row => ({
      title: `exit status ${status} is reported as it is`,
      script: `exit ${status}`,
      act: () => status,
      see: ({ report }) => {
        expect(report.end).toEqual({ kind: 'finished' })
        expect(report.steps.map(({ exit }) => exit)).toEqual([status])
      },
    }),
  ),
  {
    title: 'a program that a signal ended has status 128 and the signal',
    script: 'sh -c "kill -9 \\$\\$"; exit $?',
    see: ({ report }) => expect(report.steps[0]?.exit).toBe(137),
  },
  {
    title: 'a first process that a signal ended has status 128 and the signal',
    step: {
      command: {
        kind: 'exec',
        argv: ['/bin/sh', '-c', '(sleep 0.3; kill -KILL 1; kill -ABRT 1) & trap "exit 134" ABRT; wait'],
      },
    },
    see: ({ report }) => expect(report.steps[0]?.exit).toBe(134),
  },
  {
    title: 'beginning and end of the run are told',
    script: 'sleep 1',
    see: ({ report: { startedAt, finishedAt } }) => {
      expect(finishedAt - startedAt).toBeGreaterThan(900)
      expect(finishedAt).toBeGreaterThan(Date.now() - 3_600_000)
      expect(finishedAt).toBeLessThan(Date.now() + 1000)
    },
  },
  {
    title: 'the run is over when the program is, though children hold its streams',
    script: 'sleep 1000 & echo parent',
    see: (seen) => {
      expect(seen.report.end).toEqual({ kind: 'finished' })
      expect(printed(seen)).toBe('parent\n')
      expect(seen.milliseconds).toBeLessThan(30_000)
    },
  },
  {
    title: 'the run is over when the program is, though children hold its one log',
    step: { streams: merged },
    script: '(while :; do sleep 1; done) & echo parent; exit 4',
    see: (seen) => {
      expect(seen.report.steps[0]?.exit).toBe(4)
      expect(seen.log.toString()).toBe('parent\n')
    },
  },
  {
    title: 'at the deadline the program is asked to end, and may',
    limits: { seconds: 1, graceSeconds: 20 },
    script: 'trap "echo asked; exit 7" TERM; while :; do sleep 0.1; done',
    see: (seen) => {
      expect(seen.report.end).toEqual({ kind: 'timed-out' })
      expect(seen.report.steps[0]?.exit).toBe(7)
      expect(printed(seen)).toBe('asked\n')
    },
  },
  {
    title: 'a program that does not listen is killed after the grace',
    limits: { seconds: 1, graceSeconds: 1 },
    script: 'trap "" TERM; while :; do sleep 0.1; done',
    see: ({ report, milliseconds }) => {
      expect(report.end).toEqual({ kind: 'timed-out' })
      expect(report.steps[0]?.exit).toBe(137)
      expect(milliseconds).toBeLessThan(30_000)
    },
  },
  {
    title: 'a stop signal of its own is sent first',
    limits: { seconds: 1, graceSeconds: 20 },
    step: { stopSignal: 'INT' },
    script: 'trap "echo int; exit 3" INT; trap "echo term; exit 4" TERM; while :; do sleep 0.1; done',
    see: (seen) => {
      expect(printed(seen)).toBe('int\n')
      expect(seen.report.steps[0]?.exit).toBe(3)
    },
  },
  {
    title: 'what was written before the deadline is brought back',
    limits: { seconds: 1, graceSeconds: 1 },
    script: 'echo early > /result; sleep 1000',
    wants: [wantFile('/result')],
    see: (seen) => expect(gotText(seen, '/result')).toBe('early\n'),
  },
  {
    title: 'a program over its memory is ended for that',
    limits: { memoryBytes: 32 * 1024 * 1024 },
    script: 'x=0123456789abcdef; while :; do x=$x$x; done',
    cannot: ({ memoryLimit }) => (memoryLimit ? undefined : 'memory is not limited'),
    see: ({ report }) => expect(report.end).toEqual({ kind: 'limit', limit: 'memory' }),
  },
  ...diskFillers.map(
    ([how, script]): Row => ({
      title: `a program that fills its disk is ended for that: ${how}`,
      limits: { diskBytes: 12 * 1024 * 1024, seconds: 90 },
      folders: [folder('/out')],
      script,
      see: ({ report }) => {
        expect(report.end).toEqual({ kind: 'limit', limit: 'disk' })
        expect(report.used?.diskBytes).toBeGreaterThan(10 * 1024 * 1024)
      },
    }),
  ),
  {
    title: 'what is written within the limit is told, and ends nothing',
    limits: { diskBytes: 24 * 1024 * 1024 },
    script: 'dd if=/dev/zero of=/some bs=1048576 count=5 2>/dev/null; sleep 1; exit 3',
    see: ({ report }) => {
      expect(report.end).toEqual({ kind: 'finished' })
      expect(report.used?.diskBytes).toBeGreaterThanOrEqual(5 * 1024 * 1024)
      expect(report.used?.diskBytes).toBeLessThan(8 * 1024 * 1024)
    },
  },
  {
    title: 'a program cannot have more processes than its limit',
    limits: { processes: 12, seconds: 60 },
    script: 'i=0; while [ $i -lt 30 ]; do sleep 2 & i=$((i+1)); done 2>/dev/null; ls -d /proc/[0-9]* | wc -l',
    cannot: ({ processLimit }) => (processLimit ? undefined : 'processes are not limited'),
    see: (seen) => expect(Number(printed(seen).trim() || '0')).toBeLessThanOrEqual(12),
  },
  {
    title: 'a program gets no more processor time than its limit',
    limits: { cpus: 0.2, seconds: 60 },
    // In hundredths of a second: what one that never rests has used, and what has passed.
    script: [
      'now() { read -r up rest </proc/uptime; echo "${up%.*}${up#*.}"; }',
      'from=$(now); (while :; do :; done) & sleep 2; read -r line </proc/$!/stat; to=$(now); kill -9 $!',
      'set -- ${line##*) }; echo $((${12} + ${13})) $((to - from))',
    ].join('\n'),
    cannot: ({ processorLimit }) => (processorLimit ? undefined : 'processor time is not limited'),
    see: (seen) => {
      const [used = Number.NaN, passed = 0] = printed(seen).split(' ').map(Number)

      expect(used).toBeGreaterThan(0)
      expect(used).toBeLessThan(passed / 2)
    },
  },
  {
    title: 'no zombies are left to the host',
    script: 'for i in 1 2 3 4 5; do (sleep 0.1 & ); done; sleep 0.5',
    see: ({ report }) => expect(report.end).toEqual({ kind: 'finished' }),
  },
  {
    title: 'a file wanted while the program runs is handed over before its end',
    wants: [{ kind: 'kept-file', name: 'state', path: '/state', bytesMax: 1000 }],
    script: 'echo one > /state; sleep 3; echo two > /state',
    see: (seen) => {
      expect(seen.kept.map(({ text }) => text)).toEqual(['one\n', 'two\n'])
      expect(gotText(seen, 'state')).toBe('two\n')
    },
  },
  {
    title: 'a running program is asked until it answers',
    wants: [{ kind: 'ask', name: 'answer', argv: ['/bin/sh', '-c', 'cat /ready'], everySeconds: 0.2 }],
    script: 'sleep 1; echo creds > /ready; sleep 3',
    see: (seen) => expect(gotText(seen, 'answer')).toBe('creds\n'),
  },
  {
    title: 'who never answers is missing',
    wants: [{ kind: 'ask', name: 'answer', argv: ['/bin/false'], everySeconds: 0.2 }],
    script: 'sleep 1',
    see: (seen) => expect(gotText(seen, 'answer')).toBe('missing'),
  },
]
