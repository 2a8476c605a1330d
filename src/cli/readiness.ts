/** Waits for a broker that is just being started. */
import type { Command } from 'commander'
import { unreachable } from '../client/unreachable.ts'
import { systemClock } from '../kit/clock.ts'
import { fail } from '../model/problem.ts'
import { trust } from './trust.ts'

const everyMs = 100
const withinMs = 120_000
const answerMs = 5000

/** Adds `--wait-ready`. */
export function withReadiness(command: Command): Command {
  return command.option('--wait-ready', 'wait until the broker is ready, for at most two minutes')
}

/** Returns when the broker at the address is ready; of one that says nothing about that, when it answers. Problems: server.unreachable. */
export async function untilReady(url: string, caFile?: string): Promise<void> {
  const { origin } = URL.parse(url) ?? fail('usage.invalid', `${url} is not a URL`)
  await trust(url, caFile)
  const until = systemClock.monotonic() + withinMs
  for (;;) {
    const obstacle = await obstacleAt(origin)
    if (obstacle === undefined) return
    if (systemClock.monotonic() > until)
      return fail('server.unreachable', `${origin}: not ready after two minutes: ${obstacle}`)
    await systemClock.sleep(everyMs)
  }
}

/** What may pass by itself while a broker starts; anything else is told at once. */
async function obstacleAt(origin: string): Promise<string | undefined> {
  try {
    const { status } = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(answerMs) })
    return status === 503 ? 'it says that it is not ready' : undefined
  } catch (cause) {
    const word = passing(cause)
    return word ?? unreachable(origin, cause)
  }
}

function passing(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined
  if (cause.name === 'TimeoutError') return 'no answer in time'
  const { code } = cause as { readonly code?: unknown }
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'it closes connections'
  return passing(cause.cause)
}
