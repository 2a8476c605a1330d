/** Looks again and again at what runs on this machine below this process: how many engines, and how much memory. */
import { readdirSync, readFileSync } from 'node:fs'

export interface Seen {
  /** The most of them at a time. */
  readonly programs: number
  /** The most bytes that this thread held, and that all of them held together. */
  readonly ours: number
  readonly theirs: number
}

const everyMs = 25

/** Counts processes of this name. */
export function watchProcesses(program: string): { stop(): Seen } {
  const most = { programs: 0, ours: 0, theirs: 0 }
  const look = () => {
    const found = residents(program)
    most.programs = Math.max(most.programs, found.length)
    most.theirs = Math.max(
      most.theirs,
      found.reduce((sum, bytes) => sum + bytes, 0),
    )
    most.ours = Math.max(most.ours, memoryOfThread())
  }
  const timer = setInterval(look, everyMs)
  return {
    stop: () => {
      clearInterval(timer)
      return most
    },
  }
}

function residents(program: string): readonly number[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== program) return []
      const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      return [Number(kilobytes) * 1024]
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}

/** Bytes that this thread holds; other threads of the process run other tests. */
export function memoryOfThread(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
