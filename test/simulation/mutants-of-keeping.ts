/** Broken versions of what keeps things: disk, clock, keys, log, queue; found by the simulation, or by the test that is named. */
import { broken, brokenFor, type Mutant } from './mutant.ts'

/** In what keeps logs, with a mask that hides nothing at hand. */
function brokenLog(name: string, [find, replace]: readonly [string, string]): Mutant {
  const file = 'work/log-sink.ts'
  const imported = "import { type Mask, type Redactor, type Stretch, shownIn } from '../kit/redact.ts'"
  const edit = {
    file,
    find: imported,
    replace: "import { type Mask, maskOf, type Redactor, type Stretch, shownIn } from '../kit/redact.ts'",
  }
  return { name, edits: [edit, { file, find, replace }] }
}

function foundBy(seed: number, mutant: Mutant): Mutant {
  return { ...mutant, seed }
}

export const mutantsOfKeeping: readonly Mutant[] = [
  foundBy(
    12,
    broken('nothing is brought to the disk at a flush', 'store/sqlite/flush.ts', [
      '      await log.datasync()\n',
      '',
    ]),
  ),
  foundBy(
    8,
    broken('a key ring is not brought to the disk', 'store/key-file.ts', [
      '    fsyncSync(handle)\n  } finally {\n    closeSync(handle)\n  }\n  return beside',
      '  } finally {\n    closeSync(handle)\n  }\n  return beside',
    ]),
  ),
  brokenLog('the second stream of a program is not redacted', [
    'const opened = { redactor: mask.open(), step, stream, position }',
    "const opened = { redactor: (stream === 'stderr' ? maskOf([]) : mask).open(), step, stream, position }",
  ]),
  foundBy(
    8,
    brokenLog('redaction is lost by whoever takes over', [
      'for (const { step, stream, end } of ends) open(step, stream, end)',
      'for (const { step, stream, end } of ends) open(step, stream, end).redactor = maskOf([]).open()',
    ]),
  ),
  brokenFor(
    'src/work/lease.test.ts',
    broken('a lease is believed in for five seconds more', 'work/lease.ts', [
      'until = Math.max(until, sentAt + holdMs)',
      'until = Math.max(until, sentAt + holdMs + 5000)',
    ]),
  ),
  brokenFor(
    'src/work/conclude.test.ts',
    broken('the name of a vanished run is not forbidden', 'work/conclude.ts', [
      "    await tx.addTombstone(run.name, 'vanished', tombstoneMs)\n",
      '',
    ]),
  ),
  brokenFor(
    'src/work/worker.test.ts',
    broken('a run is started before its intent is on the disk', 'work/perform.ts', [
      'await Promise.all([tookMs, tools.ports.store.settled()])',
      'await Promise.all([tookMs])',
    ]),
  ),
  brokenFor(
    'src/work/conclude.test.ts',
    broken('a run is destroyed before what was seen of it is on the disk', 'work/discard.ts', [
      '  await ports.store.settled()\n',
      '',
    ]),
  ),
  brokenFor(
    'src/store/sqlite/group-commit.test.ts',
    broken('who must survive a power cut is answered before the flush', 'store/sqlite/group-commit.ts', [
      "how === 'firm' ? void flushed.then(() => done(value), failed) : done(value)",
      "how === 'firm' ? void done(value) : done(value)",
    ]),
  ),
  brokenFor(
    'src/store/sqlite/group-commit.test.ts',
    broken('what failed within a group is kept with the others', 'store/sqlite/group-commit.ts', [
      "  if (ending.kind === 'failed') commands.exec('ROLLBACK TO member')\n",
      '',
    ]),
  ),
  brokenFor(
    'src/store/sqlite/steady-time.test.ts',
    broken('the wall clock moves the time of a file', 'store/sqlite/steady-time.ts', [
      'told = expected + Math.min(most, Math.max(-most, now() - expected))',
      'told = expected + Math.min(most, Math.max(-most, 0)) - expected + now()',
    ]),
  ),
  brokenFor(
    'src/store/sqlite/last-time.test.ts',
    broken('between two processes the wall clock counts', 'store/sqlite/last-time.ts', [
      '  if (isKnown && isBusy(db)) return last.told + passed\n  return Math.max(wall, last.told + keepEveryMs)',
      '  return isKnown && isBusy(db) ? wall : Math.max(wall, last.told + keepEveryMs)',
    ]),
  ),
  brokenFor(
    'src/store/sealing.test.ts',
    broken('a key is removed that still seals something', 'store/index.ts', [
      '        await proveUnused(session, key)\n',
      '        if (isRemoved) await proveUnused(session, key)\n',
    ]),
  ),
  brokenFor(
    'src/store/keys.test.ts',
    broken('a key ring that others may read is used', 'store/key-file.ts', [
      'handedOver ? 0o037 : 0o077',
      'handedOver ? 0o037 : 0o7000',
    ]),
  ),
  brokenFor(
    'src/store/queue.test.ts',
    broken('a claim does not raise the fence', 'store/queue.ts', [
      'lease_until = now_ms() + ?, fence = fence + 1, strikes = strikes + 1',
      'lease_until = now_ms() + ?, fence = fence, strikes = strikes + 1',
    ]),
  ),
  brokenFor('src/store/operations.test.ts', {
    name: 'what waits for another operation is claimed beside it',
    edits: [
      {
        file: 'store/queue.ts',
        find: 'const unleased = `ended = 0 AND waits = 0 AND lease_until',
        replace: 'const unleased = `ended = 0 AND lease_until',
      },
      {
        file: 'store/queue.ts',
        find: 'const stillReady = `ended + 0 = 0 AND waits + 0 = 0 AND',
        replace: 'const stillReady = `ended + 0 = 0 AND',
      },
    ],
  }),
  brokenFor(
    'src/store/queue.test.ts',
    broken('a lease that has not run out is taken', 'store/queue.ts', [
      'const overtime = `ended = 0 AND waits + 0 = 0 AND lease_until < ${now} AND ${due}`\nconst stillReady = `ended + 0 = 0 AND waits + 0 = 0 AND ${due} AND (lease_until IS NULL OR lease_until < ${now})`',
      'const overtime = `ended = 0 AND waits + 0 = 0 AND lease_until < ${now} + 14000 AND ${due}`\nconst stillReady = `ended + 0 = 0 AND waits + 0 = 0 AND ${due}`',
    ]),
  ),
  brokenFor(
    'src/store/queue.test.ts',
    broken('an earlier epoch still claims', 'store/queue.ts', [
      'AND EXISTS (SELECT 1 FROM cluster WHERE epoch = ?)',
      'AND EXISTS (SELECT 1 FROM cluster WHERE epoch <> -1 - ?)',
    ]),
  ),
  brokenFor(
    'src/store/operations.test.ts',
    broken('a write of the work forgets a cancel', 'store/operations.ts', [
      'state = ?, ended = ?, reason = ?, description = ?, problem = ?, usable = ?, repeatable = ?, started_at = ?,\n  finished_at',
      'cancel_requested_at = NULL, state = ?, ended = ?, reason = ?, description = ?, problem = ?, usable = ?, repeatable = ?, started_at = ?,\n  finished_at',
    ]),
  ),
  brokenFor(
    'src/work/next.test.ts',
    broken('what was cancelled is prepared all the same', 'work/next.ts', [
      "return stop ? { kind: 'end-unstarted', why: stop } : { kind: 'prepare' }",
      "return stop === 'deadline' ? { kind: 'end-unstarted', why: stop } : { kind: 'prepare' }",
    ]),
  ),
  brokenFor(
    'src/work/salvage.test.ts',
    broken('what is forced to end is left to whoever works on it', 'work/maintenance.ts', [
      "  await Promise.all(forced.map((operation) => endOne(tools, operation, 'forced to end')))\n",
      '',
    ]),
  ),
  brokenFor(
    'src/store/tenant-keys.test.ts',
    broken('the secret of a tenant is bound to no tenant', 'store/sealer.ts', [
      '  return [tenantOwner, JSON.stringify([tenant, id])]',
      "  return [tenantOwner, JSON.stringify([tenant === '', id])]",
    ]),
  ),
  brokenFor(
    'src/store/tenant-keys.test.ts',
    broken('a key is erased while its tenant has something', 'store/tenant-keys.ts', [
      'const isEmpty = `NOT EXISTS (SELECT 1 FROM instances i WHERE i.tenant = k.tenant)\n  AND NOT',
      'const isEmpty = `NOT',
    ]),
  ),
  brokenFor(
    'src/store/audit.test.ts',
    broken('a record of the audit trail needs no key', 'store/audit.ts', [
      'const isGenuine = seq < keys.from || keys.isMac(recordText(hash), maybeText(row, ',
      'const isGenuine = seq < keys.from + 1e9 || keys.isMac(recordText(hash), maybeText(row, ',
    ]),
  ),
  brokenFor(
    'src/work/salvage.test.ts',
    broken('what a run has left is not read before its operation is ended', 'work/salvage.ts', [
      '    if (left === undefined) return bare\n',
      '    if (left !== null) return bare\n',
    ]),
  ),
  brokenFor(
    'src/work/salvage.test.ts',
    broken('a start that was not written down is not looked for', 'work/salvage.ts', [
      "  if (run === undefined || run.state === 'discarded') return undefined\n",
      "  if (run === undefined || run.state === 'discarded' || run.state === 'intended') return undefined\n",
    ]),
  ),
]
