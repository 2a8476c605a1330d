/** What the host shows of runs: processes, mounts, control groups. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Processes whose command, words parted by zero bytes, is so; this one is left out. */
export function processesOfHost(fits: (command: string) => boolean): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && fits(commandOf(name)))
    .map(Number)
    .filter((pid) => pid !== process.pid)
    .sort((a, b) => a - b)
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}

/** Lines of the table of mounts with this text. */
export function mountsWith(text: string): readonly string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(text))
}

/** Names of the control groups of runs. */
export function groupsOfRuns(): readonly string[] {
  return ['memory/chandler', 'pids/chandler', 'chandler']
    .map((place) => `/sys/fs/cgroup/${place}`)
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place))
}
