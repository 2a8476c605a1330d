import { expect, test } from 'vitest'
import type { Report, RunEnd } from '../model/report.ts'
import { remarksOf } from './remarks.ts'

const limits = {
  seconds: 60,
  graceSeconds: 1,
  memoryBytes: 1,
  processes: 1,
  cpus: 1,
  logBytes: 1,
  diskBytes: 1,
}

function report(end: RunEnd, more: Partial<Report> = {}): Report {
  return { end, steps: [], got: new Map(), logTail: '', startedAt: 0, finishedAt: 0, notes: [], ...more }
}

test.each<[string, Report, string]>([
  ['a run that simply ended', report({ kind: 'finished' }), ''],
  [
    'links that were ignored',
    report({ kind: 'finished' }, { notes: ['a is a link', 'b is a socket'] }),
    '[chandler] a is a link\n[chandler] b is a socket\n',
  ],
  ['a time limit', report({ kind: 'timed-out' }), '[chandler] stopped after its time limit of 60 s\n'],
  ['a memory limit', report({ kind: 'limit', limit: 'memory' }), '[chandler] ended by its memory limit\n'],
  [
    'a last line that was not ended',
    report({ kind: 'stopped' }, { logTail: 'half a l' }),
    '\n[chandler] stopped, as it was asked for\n',
  ],
  ['a last line without a remark', report({ kind: 'finished' }, { logTail: 'half a l' }), ''],
])('%s is told in the log', (_, seen, text) => {
  expect(remarksOf(seen, limits)).toBe(text)
})
