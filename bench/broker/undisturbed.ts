/** Measures while the machine is left to us: a virtual one may be taken away for a moment at any time, and says so. */
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

export interface Sample<T> {
  readonly seen: T
  /** The part of all processors' time that the host gave to others meanwhile. */
  readonly stolen: number
}

export interface Quiet<T> {
  readonly samples: readonly Sample<T>[]
  /** How often it was measured until there were so many. */
  readonly tries: number
}

/** A hundredth of the time may be missing. */
const stolenMax = 0.01

/** Measures until so many samples are undisturbed; after the last try the least disturbed ones have to do. */
export async function undisturbed<T>(
  wanted: number,
  triesMax: number,
  measure: () => Promise<T>,
): Promise<Quiet<T>> {
  const samples: Sample<T>[] = []
  const clean = () => samples.filter(({ stolen }) => stolen <= stolenMax).length
  while (samples.length < triesMax && clean() < wanted) {
    const begun = { at: performance.now(), stolenMs: stolenMs() }
    const seen = await measure()
    const time = (performance.now() - begun.at) * availableParallelism()
    samples.push({ seen, stolen: (stolenMs() - begun.stolenMs) / time })
  }
  const least = samples.toSorted((a, b) => a.stolen - b.stolen).slice(0, wanted)
  return { samples: least, tries: samples.length }
}

/** Prints how quiet it was. */
export function tellQuiet(name: string, { samples, tries }: Quiet<unknown>): void {
  const worst = Math.max(...samples.map(({ stolen }) => stolen))
  const share = `${(worst * 100).toFixed(1)} %`
  console.log(
    `${name}: ${samples.length} of ${tries} measurements; in these the host took at most ${share} of the processors`,
  )
}

/** What the kernel counts as stolen, in hundredths of a second; nothing on a machine that tells of none. */
function stolenMs(): number {
  const text = existsSync('/proc/stat') ? readFileSync('/proc/stat', 'utf8') : ''
  const [, ticks = '0'] = /^cpu +(?:\d+ ){7}(\d+)/.exec(text) ?? []
  return Number(ticks) * 10
}
