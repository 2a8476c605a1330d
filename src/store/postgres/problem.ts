/** Tells apart what PostgreSQL complains about: a rule of ours, a race to run again, a server to wait for. */
import { ProblemError } from '../../model/problem.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'
import { conflictProblem, isMeant } from '../conflict.ts'

export type Complaint =
  /** Lost a race: the same again sees what the winner did. */
  | { readonly kind: 'race' }
  /** A row is there already: perhaps a race, perhaps a fact. */
  | { readonly kind: 'conflict' }
  /** The server or the way to it is gone for now, or it lacks something that its operator can give it: disk, memory, connections. */
  | { readonly kind: 'away' }
  /** Its files hold what no server would have written, or are missing: trying again cannot help. */
  | { readonly kind: 'damaged' }
  | { readonly kind: 'other' }

const races = ['40001', '40P01', '55P03']
const away = ['57P01', '57P02', '57P03', '25006', '57014']
// Insufficient resources, a full disk among them; and a disk that fails.
const lacking = /^(53|58000|58030)/
const damaged = ['XX001', 'XX002', '58P01']
const network = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]

/** What was told as a problem already. */
const kindOfProblem: Partial<Record<ProblemCode, Complaint['kind']>> = {
  'store.unavailable': 'away',
  'store.corrupt': 'damaged',
}

/** What kind of complaint an error is. */
export function complaintOf(error: unknown): Complaint {
  if (error instanceof ProblemError) return { kind: kindOfProblem[error.problem.code] ?? 'other' }
  const code = codeOf(error)
  if (code === undefined) return { kind: isDisconnect(error) ? 'away' : 'other' }
  if (races.includes(code)) return { kind: 'race' }
  // A row with a meaning may be there for good; a number that another transaction took is taken only once.
  if (code === '23505') return { kind: isMeant(ruleOf(error)) ? 'conflict' : 'race' }
  if (damaged.includes(code)) return { kind: 'damaged' }
  if (away.includes(code) || network.includes(code) || code.startsWith('08') || lacking.test(code))
    return { kind: 'away' }
  return { kind: 'other' }
}

/** The problem behind an error; what is not of PostgreSQL stays as it is. */
export function postgresProblem(error: unknown): unknown {
  switch (complaintOf(error).kind) {
    case 'conflict':
      return conflictProblem(ruleOf(error), error)
    case 'race':
    case 'away':
      return problemOf('store.unavailable', error)
    case 'damaged':
      return problemOf('store.corrupt', error)
    case 'other':
      return error
  }
}

function problemOf(code: ProblemCode, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  return new ProblemError({ code, detail: (error as Error).message, cause: error })
}

/** The server's clock was set. */
export function clockStep(ms: number): ProblemError {
  const way = ms > 0 ? 'forward' : 'back'
  const detail = `by ${Math.round(Math.abs(ms) / 1000)} s ${way}`
  return new ProblemError({ code: 'store.clock-step', detail })
}

/** Whether it only says that a statement before it has failed. */
export function isAftermath(error: unknown): boolean {
  return codeOf(error) === '25P02'
}

/** Whether the connection broke, so that it is unknown what became of the last command. */
export function isDisconnect(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== undefined) return network.includes(code) || code.startsWith('08') || code.startsWith('57P0')
  return (
    error instanceof Error &&
    /^(Connection terminated|timeout exceeded|Client (has encountered|was closed))/.test(error.message)
  )
}

/** Whether a transaction number was asked for that the server has never given out: its commit was lost with it. */
export function isFuture(error: unknown): boolean {
  return codeOf(error) === '22023'
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function ruleOf(error: unknown): string {
  return error instanceof Error && 'constraint' in error ? String(error.constraint) : ''
}
