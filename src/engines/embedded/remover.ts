/** A small shell that removes folders: to fork this process, which is large, holds it up for longer than all of a removal. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import type { Clock } from '../../kit/clock.ts'
import { enough } from '../../kit/enough.ts'
import { usualPath } from '../usual-path.ts'

export interface Remover {
  /** Removes them together; answers whether nothing is left. One call at a time. */
  remove(paths: readonly string[]): Promise<boolean>
  close(): void
}

/** A path a line; an empty line says that these are all. */
const script = [
  'set --',
  'while IFS= read -r path; do',
  'if [ -n "$path" ]; then set -- "$@" "$path"; continue; fi',
  'rm -rf -- "$@" 2>/dev/null; echo $?',
  'set --',
  'done',
].join('\n')

const patienceMs = 600_000

/** Opens one; its shell comes when it is needed. */
export function openRemover(clock: Clock): Remover {
  let shell: ChildProcess | undefined

  function hire(): ChildProcess {
    const child = spawn('/bin/sh', ['-c', script], {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      cwd: '/',
      env: { PATH: usualPath },
    })
    const gone = (): void => {
      if (shell === child) shell = undefined
    }
    child.once('error', gone).once('exit', gone)
    child.stdin.on('error', gone)
    return child
  }

  return {
    async remove(paths) {
      // No line can carry such a name.
      if (paths.some((path) => path.includes('\n'))) return false
      const child = shell ?? hire()
      shell = child
      hold(child, true)
      const over = new AbortController()
      try {
        child.stdin?.write(`${paths.join('\n')}\n\n`)
        const answer = await Promise.race([
          once(child.stdout ?? child, 'data', { signal: over.signal }).then(String),
          once(child, 'exit', { signal: over.signal }).then(() => ''),
          clock.sleep(patienceMs, over.signal).then(() => ''),
        ]).catch(() => '')
        if (answer === '') child.kill('SIGKILL')
        return answer.trim() === '0'
      } finally {
        over.abort(enough)
        hold(child, false)
      }
    },
    close() {
      shell?.stdin?.end()
      shell = undefined
    },
  }
}

/** An idle remover does not keep the process alive. */
function hold(child: ChildProcess, held: boolean): void {
  for (const handle of [child, child.stdin, child.stdout]) {
    if (!(handle instanceof Socket) && handle !== child) continue
    if (held) handle.ref()
    else handle.unref()
  }
}
