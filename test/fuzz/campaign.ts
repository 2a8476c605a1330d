/** Runs generated documents and attacks of one topic, and counts what it sees. */
import { inspect } from 'node:util'
import { getHeapStatistics } from 'node:v8'
import { Chance } from './chance.ts'
import type { Attack, Breach, Topic } from './topic.ts'

export interface Found extends Breach {
  readonly seed: number
}

/** Documents of the seeds from `first` on; stops when the time given is over. */
export function* examined(
  topic: Topic,
  { first, count }: { readonly first: number; readonly count: number },
): Generator<readonly Found[]> {
  for (let seed = first; seed < first + count; seed++) yield examinedOne(topic, seed)
}

/** What is thrown is a breach like any other: a library of ours answers with values or faults. */
function examinedOne(topic: Topic, seed: number): readonly Found[] {
  try {
    return topic.examine(new Chance(seed)).map((breach) => ({ ...breach, seed }))
  } catch (error) {
    return [{ seed, property: 'nothing is thrown', input: `seed ${seed}`, why: said(error) }]
  }
}

export interface Ended {
  readonly name: string
  /** How it ended, or what was thrown. */
  readonly how: string
  readonly crashed: boolean
  readonly overran: boolean
  /** Of the processor, and of the clock that the limit is about. */
  readonly ms: number
  readonly clockMs: number
}

/**
 * Runs an attack and judges it by the processor time of its thread: others may have the processor meanwhile, and what collects
 * garbage beside the thread is on another one and lets the run end no later.
 */
export function attacked({ name, limitMs: usual, run }: Attack, limitMs = usual): Ended {
  const [before, clock] = [process.threadCpuUsage(), performance.now()]
  const [how, crashed] = outcomeOf(() => run(limitMs))
  const { user, system } = process.threadCpuUsage(before)
  const ms = (user + system) / 1000
  return { name, how, crashed, overran: ms > limitMs * 1.1, ms, clockMs: performance.now() - clock }
}

/** What a process takes beside its heap: the program, stacks, texts and buffers. docs/decisions/0018 tells the sum. */
const besideHeap = 384

/** Megabytes that a process with such a heap may have at most. */
export const memoryCap = Math.round(getHeapStatistics().heap_size_limit / 2 ** 20) + besideHeap

/** The most megabytes that this process has had. */
export function memoryPeak(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024)
}

function outcomeOf(run: () => string): readonly [string, boolean] {
  try {
    return [run(), false]
  } catch (error) {
    return [said(error), true]
  }
}

function said(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : `thrown: ${inspect(error, { depth: 1 })}`
}
