/** Gives up on work that others made hard: stops it in the middle when it takes too much of the processor. */
import { createContext, Script } from 'node:vm'
import { isObject } from './json.ts'

const room = createContext({ work: () => undefined })
const doIt = new Script('work()')

/** On a host that gives this process less of its time than that, work is given up after all. */
const leastShare = 1 / 256

/** Work that has used that part of its patience is not begun again. */
const spent = 0.8

/**
 * What the work answers; undefined when it was given up, or when it nested too deep. Work that is cut short because the
 * host was busy with others is begun again with more time, so it must be safe to repeat.
 */
export function patiently<T extends object | boolean>(work: () => T, patienceMs: number): T | undefined {
  room['work'] = work
  try {
    for (let waitMs = patienceMs; waitMs <= patienceMs / leastShare; ) {
      const before = processorMs()
      try {
        return doIt.runInContext(room, { timeout: waitMs }) as T
      } catch (error) {
        // It comes from another realm, so that its class is not ours.
        const isLate = isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
        const share = (processorMs() - before) / waitMs
        if (!isLate || share * waitMs > spent * patienceMs) return undefined
        waitMs = Math.min(8 * waitMs, (1.1 * patienceMs) / share)
      }
    }
    return undefined
  } finally {
    room['work'] = undefined
  }
}

/** Node before 23.9 counts for all threads of the process only. */
function processorMs(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage).call(process)
  return (user + system) / 1000
}
