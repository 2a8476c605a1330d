/** Tells apart what PostgreSQL complains about: a rule of ours, a race to run again, a server to wait for. */
import { ProblemError } from '../../model/problem.ts'
import { conflictProblem, isMeant } from '../conflict.ts'

export type Complaint =
  /** Lost a race: the same again sees what the winner did. */
  | { readonly kind: 'race' }
  /** A row is there already: perhaps a race, perhaps a fact. */
  | { readonly kind: 'conflict' }
  /** The server or the way to it is gone for now. */
  | { readonly kind: 'away' }
  | { readonly kind: 'other' }

const races = ['40001', '40P01', '55P03']
const away = ['57P01', '57P02', '57P03', '53300', '25006', '57014']
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

/** What kind of complaint an error is. */
export function complaintOf(error: unknown): Complaint {
  if (error instanceof ProblemError)
    return { kind: error.problem.code === 'store.unavailable' ? 'away' : 'other' }
  const code = codeOf(error)
  if (code === undefined) return { kind: isDisconnect(error) ? 'away' : 'other' }
  if (races.includes(code)) return { kind: 'race' }
  // A row with a meaning may be there for good; a number that another transaction took is taken only once.
  if (code === '23505') return { kind: isMeant(ruleOf(error)) ? 'conflict' : 'race' }
  if (away.includes(code) || network.includes(code) || code.startsWith('08')) return { kind: 'away' }
  return { kind: 'other' }
}

/** The problem behind an error; what is not of PostgreSQL stays as it is. */
export function postgresProblem(error: unknown): unknown {
  switch (complaintOf(error).kind) {
    case 'conflict':
      return conflictProblem(ruleOf(error), error)
    case 'race':
    case 'away':
      return error instanceof ProblemError
        ? error
        : new ProblemError({ code: 'store.unavailable', detail: (error as Error).message, cause: error })
    case 'other':
      return error
  }
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
