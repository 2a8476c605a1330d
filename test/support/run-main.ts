/** The whole command line in this process: what its process would say and end with. */
import { vi } from 'vitest'
import { main } from '../../src/cli/main.ts'

/** Answers the exit code and all that was printed, on either stream. */
export async function runMain(
  words: readonly string[],
): Promise<{ readonly exit: number; readonly said: string }> {
  let said = ''
  const hear = (piece: string | Uint8Array) => {
    said += Buffer.from(piece).toString()
    return true
  }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation(hear),
  )
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const before = signals.map((signal) => process.listeners(signal))
  try {
    return { exit: await main(words), said }
  } finally {
    process.exitCode = undefined
    for (const spy of spies) spy.mockRestore()
    for (const [i, signal] of signals.entries())
      for (const listener of process.listeners(signal))
        if (!before[i]?.includes(listener)) process.removeListener(signal, listener)
  }
}
