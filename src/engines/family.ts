/** Processes and what came of them, as this process sees them. */
import { readdir, readFile } from 'node:fs/promises'

/** A process and all that came of it. */
export async function familyOf(pid: number): Promise<readonly number[]> {
  const below = await Promise.all((await childrenOf(pid)).map(familyOf))
  return [pid, ...below.flat()]
}

/** Of all threads: some runtimes have many. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const read = (thread: string) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')
  const lists = await Promise.all(threads.map(read))
  return lists.flatMap((text) =>
    text
      .split(' ')
      .map(Number)
      .filter((child) => child > 0),
  )
}
