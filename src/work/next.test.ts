import { expect, test } from 'vitest'
import type { RunSight } from '../engines/engine.ts'
import type { Operation, Run } from '../model/operation.ts'
import { type Facts, nextStep } from './next.ts'

const operation: Operation = {
  id: 'op',
  target: { platform: 'p', instance: 'i' },
  action: { kind: 'provision' },
  tenant: 'cf',
  state: 'running',
  reason: 'because',
  requestId: 'r',
  priority: 1,
  createdAt: 0,
  deadlineAt: 1000,
  runAfter: 0,
  fence: 1,
  strikes: 0,
  stage: 0,
  attempt: 1,
}

const run = (state: Run['state']): Run => ({
  operation: 'op',
  stage: 0,
  attempt: 1,
  name: 'chd',
  engine: 'e',
  state,
})
const started: RunSight = { kind: 'started', ticket: 't' }
const foreign: RunSight = { kind: 'foreign', detail: 'not ours' }

test.each<[string, Partial<Facts>, string]>([
  ['nothing was intended', {}, 'prepare'],
  ['the last run was discarded', { run: run('discarded') }, 'prepare'],
  ['a run was intended and nobody has looked', { run: run('intended') }, 'look'],
  ['a run was intended and nothing is there', { run: run('intended'), sight: { kind: 'absent' } }, 'start'],
  ['a run was intended and laid out', { run: run('intended'), sight: { kind: 'laid-out' } }, 'start'],
  ['a run was started and not written down', { run: run('intended'), sight: started }, 'adopt'],
  ['the name is taken by something foreign', { run: run('intended'), sight: foreign }, 'name-conflict'],
  ['a run was started and nobody has looked', { run: run('started') }, 'look'],
  ['a run was started and is there', { run: run('started'), sight: started }, 'follow'],
  ['a run was started and is gone', { run: run('started'), sight: { kind: 'absent' } }, 'lost'],
  [
    'a run was started and only its layout is there',
    { run: run('started'), sight: { kind: 'laid-out' } },
    'lost',
  ],
  ['a started run became foreign', { run: run('started'), sight: foreign }, 'name-conflict'],
  ['its report is sealed', { run: run('reported') }, 'conclude'],
  [
    'the operation has ended',
    { operation: { ...operation, state: 'failed' }, run: run('started') },
    'nothing',
  ],
  ['it was claimed four times without progress', { operation: { ...operation, strikes: 4 } }, 'quarantine'],
])('when %s, the next step is right', (_, facts, kind) => {
  expect(nextStep({ operation, run: undefined, sight: undefined, now: 0, ...facts }).kind).toBe(kind)
})

test.each<[string, Partial<Operation>, number, string]>([
  ['a cancel was asked for', { cancelRequestedAt: 1 }, 0, 'cancelled'],
  ['the deadline has passed', {}, 1000, 'deadline'],
  ['both', { cancelRequestedAt: 1 }, 2000, 'cancelled'],
])('when %s, nothing is started any more and what runs is stopped', (_, change, now, why) => {
  const facts = { operation: { ...operation, ...change, strikes: 9 }, sight: undefined, now }

  expect(nextStep({ ...facts, run: undefined })).toEqual({ kind: 'end-unstarted', why })
  expect(nextStep({ ...facts, run: run('intended'), sight: { kind: 'laid-out' } })).toEqual({
    kind: 'end-unstarted',
    why,
  })
  expect(nextStep({ ...facts, run: run('started'), sight: started })).toMatchObject({
    kind: 'follow',
    stop: why,
  })
  expect(nextStep({ ...facts, run: run('reported') })).toMatchObject({ kind: 'conclude', stop: why })
})
