/** What is lent to networks before their runs are followed, by the name of what waits or of the run that it became. */
import type { Loan } from './lend-addresses.ts'
import type { StartedShim } from './starters.ts'

export interface Loans {
  has(name: string): boolean
  add(name: string, loan: Loan): void
  /** The caller ends it from now on. */
  take(name: string): Loan | undefined
  /** What waited is a run; while no process here follows it, it is lent nothing longer than its shim lasts. */
  move(name: string, run: string, shim: StartedShim): void
  end(name: string): void
  endAll(): void
}

/** None yet. */
export function openLoans(): Loans {
  const loans = new Map<string, Loan>()
  const take = (name: string): Loan | undefined => {
    const loan = loans.get(name)
    loans.delete(name)
    return loan
  }
  const end = (name: string): void => take(name)?.end()
  return {
    has: (name) => loans.has(name),
    add: (name, loan) => void loans.set(name, loan),
    take,
    move(name, run, shim) {
      const loan = take(name)
      if (loan === undefined) return
      loans.set(run, loan)
      shim.onEnd(() => end(run))
    },
    end,
    endAll() {
      for (const name of [...loans.keys()]) end(name)
    },
  }
}
