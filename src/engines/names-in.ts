/** The names in a folder; none where a run's folder was removed meanwhile, as it happens when the run is discarded. */
import { readdirSync } from 'node:fs'

export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
