/** Brings the names in a folder to the disk. */
import { flushFolder } from '../../artifacts/content/durable.ts'
import { shareNext } from '../../kit/share-next.ts'

export type Flusher = () => Promise<void>

/** Resolves when every name that was in the folder when it was asked survives a loss of power. */
export function flusherOf(folder: string): Flusher {
  return shareNext(() => flushFolder(folder))
}
