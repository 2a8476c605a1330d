/** Settles nodes without deep recursion: what is too deep is evaluated first, from an empty stack. */
import { type CallNeeded, type Held, Suspended } from './issue.ts'
import type { Level, Live } from './site.ts'
import type { Settled } from './value.ts'

/** A node, of which everything or only the kind is needed, or a call of a lambda. */
type Need = { readonly kind: 'node'; readonly node: Live; readonly deep: boolean } | CallNeeded

interface Task {
  readonly need: Need
  /** Nodes that wait for what stands above: a node that needs them from now on is part of a circle. */
  held: readonly Held[]
}

/** What starting a task costs, in units of work. */
const workOfTask = 200

/**
 * Settles a node. What belongs to another document is left to the driver of that; the outermost driver takes it where
 * there is none any more: a fragment was left half evaluated, or a stub is done.
 */
export function drive(node: Live): Settled {
  const { level } = node.site
  const { budget } = level.run
  const stack: Task[] = [{ need: { kind: 'node', node, deep: true }, held: [] }]
  let depth = 0
  try {
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      hold(top, false)
      budget.work(workOfTask)
      const suspended = attempt(top.need, level)
      if (suspended === undefined) {
        if (top.need.kind === 'call') depth -= top.need.depth
        stack.pop()
      } else {
        const need = suspended.need as Need
        top.held = heldBy(top.need, need, suspended)
        hold(top, true)
        stack.push({ need, held: [] })
        if (need.kind === 'call') depth += need.depth
        if (depth > budget.limits.depthMax) budget.tooDeep()
      }
    }
    return node.settle()
  } finally {
    for (const left of stack) hold(left, false)
  }
}

/** Where a call is needed, the nodes between it and the driver are half evaluated. */
function heldBy(task: Need, need: Need, suspended: Suspended): readonly Held[] {
  if (need.kind === 'call') return suspended.passed
  return task.kind === 'node' ? [task.node] : []
}

function hold({ held }: Task, queued: boolean): void {
  for (const node of held) node.queued = queued
}

/** Undefined when done; else what must come first, of the same document. */
function attempt(need: Need, level: Level): Suspended | undefined {
  try {
    if (need.kind === 'call') need.evaluate()
    else if (need.deep) need.node.settle()
    else need.node.shape()
    return undefined
  } catch (error) {
    if (!(error instanceof Suspended)) throw error
    const needed = error.need as Need
    const belongs = needed.kind === 'call' ? needed.level : needed.node.site.level
    if (belongs !== level && level.outermost !== undefined) throw error
    return error
  }
}
