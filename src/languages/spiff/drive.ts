/** Settles nodes without deep recursion: what is too deep is evaluated first, from an empty stack. */
import { Suspended } from './issue.ts'
import type { Live } from './site.ts'
import type { Settled } from './value.ts'

interface Task {
  readonly node: Live
  /** Everything in it, or only its kind. */
  readonly deep: boolean
}

/** Settles a node; nodes of enclosing documents that must come first are left to their driver. */
export function drive(node: Live): Settled {
  const stack: Task[] = [{ node, deep: true }]
  try {
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const needed = runOrNeeded(top)
      if (needed === undefined) {
        stack.pop()
      } else {
        // Whoever needs it from now on is part of a circle.
        top.node.queued = true
        stack.push(needed)
      }
    }
    return node.settle()
  } finally {
    for (const left of stack) left.node.queued = false
  }
}

/** Undefined when done; else the task of the same document that must come first. */
function runOrNeeded({ node, deep }: Task): Task | undefined {
  node.queued = false
  try {
    if (deep) node.settle()
    else node.shape()
    return undefined
  } catch (error) {
    if (!(error instanceof Suspended)) throw error
    const needed = error.node as Live
    if (needed.site.level !== node.site.level) throw error
    return { node: needed, deep: error.deep }
  }
}
