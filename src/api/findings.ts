/** What an examination found, check by check, and what to do about it. */
import { Type } from 'typebox'
import { Moment, type Of } from './words.ts'

export const findingStates = ['ok', 'warn', 'fail', 'skip'] as const

export const Finding = Type.Object(
  {
    id: Type.String({ description: '`store`, `disk`, `engine embedded`, `registry ghcr.io`, …' }),
    state: Type.Unsafe<(typeof findingStates)[number]>({ type: 'string', enum: findingStates }),
    what: Type.String(),
    fix: Type.Optional(Type.String({ description: 'What to do about it.' })),
  },
  { title: 'Finding' },
)
export type Finding = Of<typeof Finding>

export const Examination = Type.Object(
  {
    node: Type.String({ description: 'The process that was examined.' }),
    at: Moment,
    findings: Type.Array(Finding),
  },
  {
    title: 'Examination',
    description: 'What a process of the broker finds wrong with itself and around it.',
  },
)
export type Examination = Of<typeof Examination>
