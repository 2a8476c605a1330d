/** How figures are taken and shown: medians of several rounds, a ratio and the goal beside both raw values. */

export interface Figure {
  readonly name: string
  readonly ours: number
  readonly floor: number
  readonly unit: string
  /** 'ours/floor' unless the ratio must be at most or at least a goal. */
  readonly goal?: { readonly atMost: number } | { readonly atLeast: number }
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Prints one line per figure: both raw values, their ratio, and whether the goal is met. */
export function show(figures: readonly Figure[]): void {
  for (const { name, ours, floor, unit, goal } of figures) {
    const ratio = ours / floor
    console.log(
      `${name}: ${round(ours)} ${unit} against ${round(floor)} ${unit} = ${ratio.toFixed(2)}${judge(ratio, goal)}`,
    )
  }
}

function judge(ratio: number, goal: Figure['goal']): string {
  if (goal === undefined) return ''
  if ('atMost' in goal) return ` (goal at most ${goal.atMost}: ${ratio <= goal.atMost ? 'met' : 'missed'})`
  return ` (goal at least ${goal.atLeast}: ${ratio >= goal.atLeast ? 'met' : 'missed'})`
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
