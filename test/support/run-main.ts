/** The whole command line in this process: what its process would say and end with. */
import type { EventEmitter } from 'node:events'
import { main } from '../../src/cli/main.ts'

interface Ran {
  readonly exit: number
  /** Standard output. */
  readonly out: string
  /** Standard error. */
  readonly err: string
  /** Both, in the order they came. */
  readonly said: string
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs a command to its end; nothing of it is printed, and no listener of it stays. */
export async function runMain(words: readonly string[]): Promise<Ran> {
  const heard = { out: '', err: '', said: '' }
  const { stdout, stderr } = process
  const writes = { out: stdout.write.bind(stdout), err: stderr.write.bind(stderr) }
  const hear = (stream: 'out' | 'err') => (piece: string | Uint8Array) => {
    const text = Buffer.from(piece).toString()
    heard[stream] += text
    heard.said += text
    return true
  }
  const emitters: readonly (readonly [EventEmitter, string])[] = [
    ...signals.map((signal) => [process, signal] as const),
    [stdout, 'error'],
    [stderr, 'error'],
  ]
  const before = emitters.map(([emitter, event]) => emitter.rawListeners(event))
  stdout.write = hear('out')
  stderr.write = hear('err')
  try {
    return { exit: await main(words), ...heard }
  } finally {
    stdout.write = writes.out
    stderr.write = writes.err
    process.exitCode = undefined
    for (const [i, [emitter, event]] of emitters.entries())
      for (const listener of emitter.rawListeners(event))
        if (!before[i]?.includes(listener)) emitter.off(event, listener as () => void)
  }
}
