/** Every command line there is, and the variables of what runs for the broker, again and again. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

export interface Piece {
  /** Where it was seen. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** Looks until the signal; `files` of `/proc/PID` are read. */
export async function watchProcesses(
  seen: Map<string, Piece>,
  signal: AbortSignal,
  files: readonly string[] = ['cmdline', 'environ'],
): Promise<void> {
  const ours = namespaceOf('self')
  while (!signal.aborted) {
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue
      // What a package's own program is given is its own; it sees other processes than we do.
      if (namespaceOf(pid) !== ours) continue
      for (const file of files) {
        const bytes = readQuietly(`/proc/${pid}/${file}`)
        if (bytes !== undefined)
          seen.set(`${pid} ${file} ${bytes.length}`, { name: `/proc/${pid}/${file}`, bytes })
      }
    }
    await pause(40)
  }
}

function namespaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return undefined
  }
}

/** A file that may be gone. */
export function readQuietly(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
