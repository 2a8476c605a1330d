/** What the records of an installation say together: its runs in order, its state, its outputs. */
import { present } from '../../kit/present.ts'
import type { Claim, Result, ResultStatus } from './claims.ts'

export interface RecordedRun {
  readonly claim: Claim
  /** Oldest first. */
  readonly results: readonly Result[]
}

/** Ids are ULIDs: the order of their texts is that of time. */
export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  if (a.id === b.id) return 0
  return a.id < b.id ? -1 : 1
}

/** What became of a run: its last result counts. */
export function statusOfResults(results: readonly Pick<Result, 'id' | 'status'>[]): ResultStatus {
  return [...results].sort(byId).at(-1)?.status ?? 'unknown'
}

/** When a run started: its first result says so, and until then its claim. */
export function startOf({ claim, results }: RecordedRun): string {
  return results[0]?.created ?? claim.created
}

/** Whether a status is for good. */
export function isOver(status: ResultStatus): boolean {
  return status !== 'pending' && status !== 'running'
}

export interface InstallationState {
  readonly state: 'defined' | 'installed' | 'uninstalled'
  /** When the first install succeeded, and the last uninstall. */
  readonly installed?: string
  readonly uninstalled?: string
  /** The last run that changed something. */
  readonly last?: RecordedRun
}

/** The later of the first successful install and the last successful uninstall decides. */
export function stateOf(
  runs: readonly RecordedRun[],
  modifies: (claim: Claim) => boolean,
): InstallationState {
  let installed: string | undefined
  let uninstalled: string | undefined
  let state: InstallationState['state'] = 'defined'
  for (const { claim, results } of runs) {
    if (statusOfResults(results) !== 'succeeded') continue
    const when = results.at(-1)?.created ?? claim.created
    if (claim.action === 'install') {
      installed ??= when
      state = 'installed'
    } else if (claim.action === 'uninstall') {
      uninstalled = when
      state = 'uninstalled'
    }
  }
  const last = runs.findLast(({ claim }) => modifies(claim))
  return {
    state,
    ...present({ installed, uninstalled, last }),
  }
}

/** For each output the result that holds its newest value. */
export function currentOutputs(runs: readonly RecordedRun[]): ReadonlyMap<string, Result> {
  const newest = new Map<string, Result>()
  for (const result of runs.flatMap(({ results }) => results).sort(byId)) {
    for (const name of Object.keys(result.outputs)) newest.set(name, result)
  }
  return newest
}
