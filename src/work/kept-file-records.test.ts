/** What was kept while a run went on is found again when the run is lost. */
import { expect, test } from 'vitest'
import { openTestStore } from '../../test/support/stores.ts'
import { type Job, usualLimits } from '../model/job.ts'
import type { Run } from '../model/operation.ts'
import type { Got, Report } from '../model/report.ts'
import { keepFile, withKeptFiles } from './kept-file-records.ts'

const run: Run = { operation: 'o', stage: 0, attempt: 1, name: 'chd-r', engine: 'e', state: 'reported' }
const job: Job = {
  program: { kind: 'tools', tools: [] },
  steps: [
    { name: 's', command: { kind: 'exec', argv: ['true'] }, environment: {}, streams: { kind: 'merged' } },
  ],
  files: [],
  folders: [],
  wants: [
    { kind: 'kept-file', name: 'state', path: 'state', bytesMax: 100 },
    { kind: 'kept-file', name: 'never', path: 'never', bytesMax: 100 },
  ],
  needs: { cluster: 'none', network: 'none', readOnlyRoot: false },
  limits: usualLimits,
}

function report(end: Report['end'], got: ReadonlyMap<string, Got> = new Map()): Report {
  return { end, got, steps: [], logTail: '', startedAt: 0, finishedAt: 0, notes: [] }
}

const bytes = (text: string): Got => ({ kind: 'bytes', bytes: new Uint8Array(Buffer.from(text)) })

test.each([
  ['a lost run has the latest version that was kept', report({ kind: 'lost' }), bytes('second')],
  [
    'what the engine brought back of it is newer',
    report({ kind: 'lost' }, new Map([['state', bytes('own')]])),
    bytes('own'),
  ],
  [
    'a file it could not bring back is taken from what was kept',
    report({ kind: 'lost' }, new Map([['state', { kind: 'missing' }]])),
    bytes('second'),
  ],
  [
    'a run that ended says itself what is missing',
    report({ kind: 'finished' }, new Map([['state', { kind: 'missing' }]])),
    { kind: 'missing' },
  ],
])('%s', async (_fact, seen, wanted) => {
  await using opened = await openTestStore('memory')
  await keepFile(opened.store, run, 'state', Buffer.from('first'))
  await keepFile(opened.store, run, 'state', Buffer.from('second'))

  const { got } = await withKeptFiles(opened.store, run, job, seen)

  expect(got.get('state')).toEqual(wanted)
  expect(got.has('never')).toBe(false)
})
