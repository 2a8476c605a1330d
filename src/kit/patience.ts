/** Gives up on work that others made hard: stops it in the middle when it takes too long. */
import { createContext, Script } from 'node:vm'

const room = createContext({ work: () => undefined })
const doIt = new Script('work()')

/** What the work answers; undefined when it was given up, or when it nested too deep. */
export function patiently<T extends object | boolean>(work: () => T, patienceMs: number): T | undefined {
  room['work'] = work
  try {
    return doIt.runInContext(room, { timeout: patienceMs }) as T
  } catch {
    return undefined
  } finally {
    room['work'] = undefined
  }
}
