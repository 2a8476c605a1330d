/** Prepares actions of packages that hold programs in processes of their own, so that no package can hold up or bring down this one. */
import { availableParallelism } from 'node:os'
import type { Prepared } from '../../contracts/contract.ts'
import { decode, encode } from '../../kit/codec.ts'
import { fail } from '../../model/problem.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Question, Reply } from './prepare-process.ts'
import { type Answer, openProcessPool } from './process-pool.ts'

/** The limit of one evaluation is ten seconds; a tenth more is what finding out may take. */
const usual = { deadlineMs: 11_000, memoryMegabytes: 512, waitingMax: 64 }

export interface Preparer {
  /** Problems: package.busy. */
  prepare(contract: string, action: Action, situation: Situation): Promise<Prepared>
  close(): void
}

/** Opens the pool; a broker without such packages starts no process. */
export function openPreparer(choice: Partial<typeof usual> = {}): Preparer {
  const { deadlineMs, memoryMegabytes, waitingMax } = { ...usual, ...choice }
  const pool = openProcessPool({
    program: new URL(
      import.meta.url.endsWith('.ts') ? './prepare-process.ts' : './prepare-process.mjs',
      import.meta.url,
    ),
    processesMax: Math.min(4, Math.max(2, availableParallelism())),
    waitingMax,
    deadlineMs,
    memoryMegabytes,
  })
  return {
    async prepare(contract, action, { random: _random, ...situation }) {
      const question: Question = { contract, action, situation }
      const answer = await pool.ask(encode(question))
      if (answer.kind === 'answer') return preparedOf(decode<Reply>(answer.text))
      if (answer.kind === 'busy') return fail('package.busy', `${waitingMax} are waiting already`)
      return refusalOf(answer.kind, { deadlineMs, memoryMegabytes })
    },
    close: () => pool.close(),
  }
}

/** Problems: internal.unexpected. */
function preparedOf(reply: Reply): Prepared {
  if (reply.kind === 'prepared') return reply.prepared
  return fail('internal.unexpected', reply.error)
}

function refusalOf(
  kind: Exclude<Answer['kind'], 'answer' | 'busy'>,
  limits: Pick<typeof usual, 'deadlineMs' | 'memoryMegabytes'>,
): Prepared {
  const detail =
    kind === 'too-long'
      ? `the templates of the package take longer than ${limits.deadlineMs / 1000} seconds`
      : `the templates of the package take more than ${limits.memoryMegabytes} MB of memory`
  return { kind: 'refused', problems: [{ code: 'spiff.limit.reached', detail }] }
}
