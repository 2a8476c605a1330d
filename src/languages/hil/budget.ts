/** How much work and text one evaluation may cost; what is spent cannot be won back. */
import { Fault } from '../place.ts'
import type { Value } from './values.ts'

export interface Budget {
  /** Throws a Fault when more is spent than there was. */
  spend(units: number): void
}

/** A budget of so many units: characters read or written. */
export function budgetOf(units: number): Budget {
  let left = units
  return {
    spend(cost) {
      left -= cost
      if (left < 0) throw new Fault(`the evaluation costs more than ${units} units`)
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
      for (const [key, item] of value.entries) sum += key.length + weigh(item)
      return sum
    }
    default:
      return 1
  }
}
