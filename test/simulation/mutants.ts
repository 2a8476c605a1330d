/** Broken versions of the core, each missing one guarantee: every one of them must be found out. */
import type { Mutant } from './mutant.ts'
import { mutantsOfEdges } from './mutants-of-edges.ts'
import { mutantsOfKeeping } from './mutants-of-keeping.ts'

export const mutants: readonly Mutant[] = [
  {
    name: 'the lease is not checked before an effect outside',
    seed: 45,
    edits: [
      {
        file: 'work/lease.ts',
        find: 'if (!lost.signal.aborted && clock.monotonic() < until) return',
        replace: 'if (until > 0) return',
      },
    ],
  },
  {
    name: 'a run that never started keeps its layout',
    test: 'src/work/worker.test.ts',
    edits: [
      {
        file: 'work/perform.ts',
        find: "if (run && run.state !== 'discarded') await engineOf(tools, run).discard(run.name)",
        replace: 'if (run === undefined) return',
      },
    ],
  },
  {
    name: 'the job is prepared again instead of adopting its run',
    seed: 4,
    edits: [
      {
        file: 'work/next.ts',
        find: "if (run === undefined || run.state === 'discarded') {",
        replace: "if (run === undefined || run.state === 'discarded' || run.state === 'intended') {",
      },
    ],
  },
  {
    name: 'a run that vanished is started again under its old name',
    seed: 14,
    edits: [
      {
        file: 'work/next.ts',
        find: "      return { kind: 'lost', run }",
        replace: "      return { kind: 'start', run }",
      },
    ],
  },
  {
    name: 'a vanished run is retried without a new attempt',
    seed: 11,
    edits: [
      {
        file: 'work/conclude.ts',
        find: 'const attempt = operation.attempt + 1',
        replace: 'const attempt = operation.attempt',
      },
    ],
  },
  {
    name: 'the instance is not set free at the end',
    edits: [
      {
        file: 'broker/settle.ts',
        find: 'const free = { ...rest, updatedAt: settling.now, generation: instance.generation + 1 }',
        replace:
          'const free = { ...rest, currentOperation: operation.id, updatedAt: settling.now, generation: 1 }',
      },
    ],
  },
  {
    name: 'an operation that lost its instance still changes it',
    seed: 38,
    edits: [
      {
        file: 'broker/settle.ts',
        find: '  if (instance.currentOperation !== operation.id) return\n',
        replace: '',
      },
    ],
  },
  {
    name: 'a delete forgets the bindings',
    seed: 7,
    edits: [
      {
        file: 'broker/settle.ts',
        find: "if (binding.state !== 'gone') await removeBinding(tx, binding, now)",
        replace: "if (binding.state === 'failed') await removeBinding(tx, binding, now)",
      },
    ],
  },
  {
    name: 'credentials of a failed bind are stored',
    edits: [
      {
        file: 'broker/settle.ts',
        find: "  if (ending.state !== 'succeeded') return tx.putBinding({ ...free, state: 'failed' })\n",
        replace:
          "  if (ending.state !== 'succeeded') {\n    await orders.putAnswer(tx, key, {})\n    return tx.putBinding({ ...free, state: 'failed' })\n  }\n",
      },
    ],
  },
  {
    name: 'overdue operations are not ended',
    seed: 8,
    edits: [
      {
        file: 'work/maintenance.ts',
        find: "  for (const operation of overdue) await endOne(tools, operation, 'overdue')\n",
        replace: "  if (overdue.length < 0) await endOne(tools, overdue[0] as never, 'overdue')\n",
      },
    ],
  },
  {
    name: 'the audit record is forgotten',
    edits: [
      {
        file: 'broker/begin.ts',
        find: '  await tx.addAudit({',
        replace: "  if (order.action.kind !== 'bind') await tx.addAudit({",
      },
    ],
  },
  {
    name: 'the sweep removes what still runs',
    edits: [
      {
        file: 'work/maintenance.ts',
        find: "return run?.state === 'discarded' ?",
        replace: "return run?.state === 'started' ?",
      },
    ],
  },
  {
    name: 'leftovers are never swept',
    edits: [
      {
        file: 'work/maintenance.ts',
        find: 'if (why === undefined) continue',
        replace: 'if (why !== undefined) continue',
      },
    ],
  },
  {
    name: 'the run of an ended operation is never discarded by who ended it',
    seed: 4,
    edits: [
      {
        file: 'work/conclude.ts',
        find: '  if (isOver(report)) await discardLeft(tools, run, engine)\n',
        replace: '',
      },
    ],
  },
  {
    name: 'secrets are not taken out of descriptions',
    edits: [
      {
        file: 'work/ending.ts',
        find: 'outcome.problems.map((problem) => maskedProblem(problem, mask))',
        replace:
          'outcome.problems.map((problem) => (mask === undefined ? maskedProblem(problem, mask) : problem))',
      },
    ],
  },
  {
    name: 'a failed program counts as success',
    edits: [
      {
        file: 'work/ending.ts',
        find: "state: outcome.problems.length === 0 ? 'succeeded' : 'failed', outcome }",
        replace: "state: outcome.problems.length >= 0 ? 'succeeded' : 'failed', outcome }",
      },
    ],
  },
  {
    name: 'poison is claimed for ever',
    seed: 5,
    edits: [
      {
        file: 'work/record.ts',
        find: 'const strikes = strike ? operation.strikes : Math.max(0, operation.strikes - 1)',
        replace: 'const strikes = strike ? 0 : operation.strikes',
      },
    ],
  },
  {
    name: 'a cancelled creation is reported as done',
    seed: 6,
    edits: [
      {
        file: 'broker/settle.ts',
        find: 'if (holder?.currentOperation === operation.id && !goes) return ending',
        replace: 'if (holder !== undefined) return ending',
      },
    ],
  },
  {
    name: 'an answer is given before the order is kept',
    edits: [
      {
        file: 'broker/provision.ts',
        find: 'const answer = await decided(ports, (tx, inside) => decide(tx, inside, asker, { ...request, offer }))',
        replace:
          "let answer = { kind: 'started', operation: '', wait: false } as ProvisionAnswer\n  const kept = ports.store.write(async (tx) => {\n    answer = await decide(tx, ports, asker, { ...request, offer })\n    return answer\n  })\n  await Promise.race([kept, ports.clock.sleep(20)])\n  kept.catch(() => undefined)",
      },
    ],
  },
  {
    name: 'the fence is not checked when a result is written',
    edits: [
      {
        file: 'store/operations.ts',
        find: 'return row.fence === held.fence && owns && !hasEnded(row.state)',
        replace: 'return row.fence >= held.fence || owns || hasEnded(row.state)',
      },
      {
        file: 'store/operations.ts',
        find: 'WHERE id = ? AND fence = ? AND ended + 0 = 0`',
        replace: 'WHERE id = ? AND fence >= ?`',
      },
      {
        file: 'store/operations.ts',
        find: 'const updateOwned = `${update} AND lease_owner = ?`',
        replace: 'const updateOwned = `${update} AND ? IS NOT NULL`',
      },
    ],
  },
  ...mutantsOfKeeping,
  ...mutantsOfEdges,
]
