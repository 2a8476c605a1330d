/** Tasks that run beside the following of a run: for its deadline, questions, and files to keep. */
import { enough } from '../kit/enough.ts'

export type Helper = (signal: AbortSignal) => Promise<void>

/**
 * Does the work with helpers beside it, which end with it. The work answers whether it came to its end;
 * when a helper fails before, the work is called off and the fault is that of both.
 */
export async function withHelpers(
  left: AbortSignal,
  helpers: readonly Helper[],
  work: (signal: AbortSignal) => Promise<boolean>,
): Promise<void> {
  const over = new AbortController()
  const signal = AbortSignal.any([left, over.signal])
  const faults: unknown[] = []
  const helping = helpers.map((help) =>
    help(signal).catch((error: unknown) => {
      faults.push(error)
      over.abort(enough)
    }),
  )
  try {
    if (await work(signal)) return
  } finally {
    over.abort(enough)
    await Promise.all(helping)
  }
  if (faults.length > 0 && !left.aborted) throw faults[0]
}
