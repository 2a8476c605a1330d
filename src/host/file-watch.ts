/** Files that others renew without telling: looked at now and then, taken over when they are not what they were. */
import { statSync } from 'node:fs'
import type { Clock } from '../kit/clock.ts'

export interface FileWatchParts {
  readonly clock: Clock
  /** The files that matter now. */
  files(): readonly string[]
  /** They are not what they were. What throws is half of a change: the next look tries again. */
  changed(): void | Promise<void>
  refused(error: unknown): void
  readonly everyMs: number
  /** What they were when they were read; absent: what they are now. */
  readonly since?: string
}

export interface FileWatch {
  stop(): Promise<void>
}

/** Starts looking; where there is no file there is nothing to see. */
export function startFileWatch(parts: FileWatchParts): FileWatch {
  const { clock, files, changed, refused, everyMs, since } = parts
  const leaving = new AbortController()
  let seen = since ?? stampOf(files())
  const running = (async () => {
    while (!leaving.signal.aborted) {
      await clock.sleep(everyMs, leaving.signal)
      if (leaving.signal.aborted) return
      const now = stampOf(files())
      if (now === seen) continue
      try {
        await changed()
        seen = now
      } catch (error) {
        refused(error)
      }
    }
  })()
  return {
    async stop() {
      leaving.abort()
      await running
    },
  }
}

/** What tells one version of the files from another. */
export function stampOf(files: readonly string[]): string {
  return JSON.stringify(
    files.map((file) => {
      const found = statSync(file, { throwIfNoEntry: false })
      return [file, found?.mtimeMs, found?.size, found?.ino]
    }),
  )
}
