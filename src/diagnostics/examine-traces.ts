/** Looks at the variables of traces before a broker is started. */
import { areTracesAskedFor } from '../traces/asked.ts'
import type { Seen } from './seen.ts'
import { seenTraces } from './seen-traces.ts'

/** Nothing where no endpoint is named. */
export async function examineTraces(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Seen[]> {
  if (!areTracesAskedFor(environment)) return []
  const { readTraces } = await import('../traces/index.ts')
  return seenTraces(readTraces(environment))
}
