/** What goes wrong when we are the client of another service broker, or judge it. */
import type { ProblemTable } from './table.ts'

export const osbClientProblems = {
  'osb.refused': {
    title: 'The broker refused the request',
    hint: 'Correct what the broker names and send it again.',
    status: 400,
    exit: 9,
  },
  'osb.unknown': {
    title: 'The broker knows no such instance or binding',
    hint: 'Check the id; nothing is left to do when it was deleted.',
    status: 404,
    exit: 4,
  },
  'osb.conflict': {
    title: 'The broker cannot do that now',
    hint: 'Wait for the running operation to end, or use another id.',
    status: 409,
    exit: 5,
  },
  'osb.broken': {
    title: 'The broker failed',
    hint: 'Delete what may be left over, then ask the operator of the broker.',
    status: 502,
    exit: 3,
  },
  'osb.operation-failed': {
    title: 'The operation of the broker failed',
    hint: 'Delete what it left behind, then order it again.',
    status: 502,
    exit: 3,
  },
  'conformance.case-invalid': {
    title: 'A conformance case cannot be run',
    hint: 'Correct the named place of the case.',
    status: 500,
    exit: 9,
  },
  'conformance.not-met': {
    title: 'The broker does not do what the cases want',
    hint: 'Read the failed cases; their ref names the rule.',
    status: 500,
    exit: 9,
  },
  'conformance.stopped': {
    title: 'The check was stopped before its end',
    hint: 'Read what it found so far; give it more time with --budget.',
    status: 500,
    exit: 8,
  },
  'lint.refused': {
    title: 'The catalog would be refused',
    hint: 'Mend the named places.',
    status: 500,
    exit: 9,
  },
} as const satisfies ProblemTable
