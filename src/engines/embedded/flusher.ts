/** Brings the names in a folder to the disk; who asks while it is being done shares the next time with all who do. */
import { flushFolder } from '../../artifacts/content/durable.ts'

export type Flusher = () => Promise<void>

/** Resolves when every name that was in the folder when it was asked survives a loss of power. */
export function flusherOf(folder: string): Flusher {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = (): Promise<void> => {
    running = flushFolder(folder).finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (running === undefined) return begin()
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }
}
