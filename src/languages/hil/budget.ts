/** How much work, text and time one evaluation may cost; what is spent cannot be won back. */
import { Fault } from '../place.ts'
import type { Value } from './values.ts'

export interface Budget {
  /** Throws a Fault when more is spent than there was, or when the time is over. */
  spend(units: number): void
}

export interface Bounds {
  /** Characters and elements read and written. */
  readonly workMax: number
  readonly millisecondsMax: number
  /** Milliseconds that only grow. */
  readonly elapsed: () => number
}

/** So many units take some milliseconds. */
const unitsBetweenLooks = 100_000

export function budgetOf({ workMax, millisecondsMax, elapsed }: Bounds): Budget {
  let left = workMax
  let nextLook = workMax - unitsBetweenLooks
  let started: number | undefined
  return {
    spend(cost) {
      left -= cost
      if (left >= nextLook) return
      if (left < 0) throw new Fault(`the evaluation costs more than ${workMax} units`)
      // A small evaluation never asks for the time, which would cost it more than it does.
      started ??= elapsed()
      if (elapsed() - started > millisecondsMax) {
        throw new Fault(`the evaluation takes longer than ${millisecondsMax} milliseconds`)
      }
      nextLook = left - unitsBetweenLooks
    },
  }
}

/** What it costs to look at a value. */
export function weigh(value: Value): number {
  switch (value.kind) {
    case 'string':
      return value.text.length + 1
    case 'list':
      return value.items.reduce((sum, item) => sum + weigh(item), 1)
    case 'map': {
      let sum = 1
      for (const [key, item] of value.entries) sum += key.length + 1 + weigh(item)
      return sum
    }
    default:
      return 1
  }
}
