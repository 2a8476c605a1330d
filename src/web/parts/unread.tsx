/** A page whose content did not come: its title, and why. */
import type { Problem } from '../../api/problem.ts'
import { ProblemNote } from './problem.tsx'

interface Props {
  readonly title: string
  readonly problem: Problem
  readonly again: () => void
}

export function Unread({ title, problem, again }: Props) {
  return (
    <>
      <h1>{title}</h1>
      <ProblemNote problem={problem} again={again} />
    </>
  )
}
