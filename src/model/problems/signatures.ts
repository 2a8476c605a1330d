/** What goes wrong with the signatures that a package must have. */
import type { ProblemTable } from './table.ts'

export const signatureProblems = {
  'signature.missing': {
    title: 'The package must be signed, and is not',
    hint: 'Sign it (cosign, notation), or change the signing policy.',
    status: 422,
    exit: 9,
  },
  'signature.untrusted': {
    title: 'The package is signed by none of those who must have signed it',
    hint: 'Look at its signatures with "chandler package inspect"; have it signed, or change the signing policy.',
    status: 422,
    exit: 9,
  },
  'signature.policy-invalid': {
    title: 'The signing policy is not valid',
    hint: 'Correct what is named; "docs/packages.md" shows one.',
    status: 422,
    exit: 9,
  },
} as const satisfies ProblemTable
