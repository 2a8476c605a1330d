/** What is kept for as long as it is used: the sweep goes by the time of its file. */
import { stat, utimes } from 'node:fs/promises'

/** No file is told more often that it is used. */
const tellEveryMs = 60_000

/** Whether it is there; if so, this is a use of it. */
export async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return false
  const now = new Date()
  if (now.getTime() - found.mtimeMs > tellEveryMs) await utimes(path, now, now).catch(() => undefined)
  return true
}
