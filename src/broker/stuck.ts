/** What does not get on, from the rows alone: operations that stand still, and those whose node is gone. */
import { present } from '../kit/present.ts'
import { activeStates, type Operation } from '../model/operation.ts'
import type { Look, NodeRow } from '../store/store.ts'

export interface Stuck {
  readonly operation: Operation
  /** Held back after unexpected faults, past its end, or without a step for most of its time. */
  readonly how: 'held-back' | 'overdue' | 'still'
}

export interface Forsaken {
  readonly node: string
  /** Undefined where the node is not even known any more. */
  readonly silentMs: number | undefined
  readonly operations: readonly string[]
}

export interface Standing {
  readonly active: number
  readonly stuck: readonly Stuck[]
  readonly forsaken: readonly Forsaken[]
  /** Nodes that have lately said that they live. */
  readonly alive: readonly NodeRow[]
}

// A node says every ten seconds that it lives.
const silentMs = 60_000
// A living node ends what is past its deadline sooner.
const graceMs = 300_000
const stillMs = 600_000

const pageSize = 500

/** Reads all operations that have not ended; the oldest first in what it answers. */
export async function lookForStuck(look: Look): Promise<Standing> {
  const now = await look.now()
  const nodes = await look.nodes()
  const operations = await readActive(look)
  const active = new Set(operations.map(({ id }) => id))
  const stuck: Stuck[] = []
  for (const operation of operations) {
    const waits = operation.blockedBy !== undefined && active.has(operation.blockedBy)
    const how = waits ? undefined : judge(operation, now, await lastStepOf(look, operation))
    if (how !== undefined) stuck.push({ operation, how })
  }
  return {
    active: active.size,
    stuck,
    forsaken: forsakenOf(operations, nodes, now),
    alive: nodes.filter((node) => now - node.heartbeatAt < silentMs),
  }
}

async function readActive(look: Look): Promise<readonly Operation[]> {
  const found: Operation[] = []
  let after: string | undefined
  do {
    const filter = { states: activeStates, most: pageSize, ...present({ after }) }
    const page = await look.operations(filter)
    found.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return found.reverse()
}

function judge(operation: Operation, now: number, lastStep: number): Stuck['how'] | undefined {
  const { state, deadlineAt, createdAt } = operation
  if (state === 'quarantined') return 'held-back'
  if (now > deadlineAt + graceMs) return 'overdue'
  return now - lastStep > Math.max(stillMs, (deadlineAt - createdAt) / 2) ? 'still' : undefined
}

/** The history is asked only of what is worked on: of that there is never much. */
async function lastStepOf(look: Look, { id, state, createdAt, runAfter }: Operation): Promise<number> {
  const earliest = Math.max(createdAt, runAfter)
  if (state === 'queued' || state === 'quarantined') return earliest
  return Math.max(earliest, (await look.history(id)).at(-1)?.at ?? 0)
}

function forsakenOf(
  operations: readonly Operation[],
  nodes: readonly NodeRow[],
  now: number,
): readonly Forsaken[] {
  const held = Map.groupBy(
    operations.filter(({ lease }) => lease !== undefined),
    ({ lease }) => lease?.owner ?? '',
  )
  return [...held].flatMap(([name, theirs]): readonly Forsaken[] => {
    const node = nodes.find((one) => one.name === name)
    const silent = node && now - node.heartbeatAt
    if (silent !== undefined && silent < silentMs) return []
    return [{ node: name, silentMs: silent, operations: theirs.map(({ id }) => id) }]
  })
}
