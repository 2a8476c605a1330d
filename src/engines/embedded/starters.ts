/**
 * Small shells that start shims, one at a time each, and are used again.
 * To fork this process, which is large, takes longer than everything else of a start.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { usualPath } from '../usual-path.ts'

export interface Starters {
  /** Starts the shim of a run, which waits until it is let go; `ended` is told when it is no more. */
  start(shim: ShimStart): Promise<StartedShim>
  close(): void
}

export interface ShimStart {
  readonly run: string
  readonly fence: number
  readonly ended: () => void
}

export interface StartedShim {
  /** Lets it begin. */
  release(): void
}

interface Starter {
  readonly child: ChildProcess
  /** Who is told of the end of the shim that it runs. */
  ended: (() => void) | undefined
}

const idleMax = 8

/**
 * The shim reads its word to go from where its starter reads what to start: it comes right behind, or never.
 * A word for a shim that ended before stands alone in its line and is passed over.
 */
const script = [
  'runs=$CHANDLER_RUNS; unset CHANDLER_RUNS',
  'while read -r fence run; do',
  '[ -n "$run" ] || continue',
  'setsid "$@" /bin/sh "$runs/$run/private/shim.sh" "$fence" 2>>"$runs/$run/shim.err" >/dev/null',
  'echo $?',
  'done',
].join('\n')

/** Opens them for the runs of a folder; they come when they are needed. */
export function openStarters(runs: string, rootless: boolean): Starters {
  const idle: Starter[] = []
  let isClosed = false

  async function hire(): Promise<Starter> {
    const user = rootless ? ['--user', '--map-root-user'] : []
    const child = spawn(
      '/bin/sh',
      ['-c', script, 'starter', 'unshare', ...user, '--mount', '--propagation', 'private'],
      {
        detached: true,
        stdio: ['pipe', 'pipe', 'ignore'],
        cwd: '/',
        env: { PATH: usualPath, CHANDLER_RUNS: runs },
      },
    )
    const starter: Starter = { child, ended: undefined }
    const tell = (): void => {
      const { ended } = starter
      starter.ended = undefined
      ended?.()
    }
    child.stdin.on('error', () => undefined)
    child.stdout.on('data', () => {
      tell()
      if (isClosed || idle.length >= idleMax) child.stdin.end()
      else idle.push(starter)
    })
    child.once('exit', () => {
      const i = idle.indexOf(starter)
      if (i >= 0) idle.splice(i, 1)
      tell()
    })
    // Nobody stays for their sake.
    child.unref()
    for (const pipe of [child.stdin, child.stdout]) if (pipe instanceof Socket) pipe.unref()
    await once(child, 'spawn')
    return starter
  }

  return {
    async start({ run, fence, ended }) {
      const starter = idle.pop() ?? (await hire())
      starter.ended = ended
      const { stdin } = starter.child
      stdin?.write(`${fence} ${run}\n`)
      return {
        release: () => {
          // Another shim may be next.
          if (starter.ended === ended) stdin?.write('go\n')
        },
      }
    },
    close() {
      isClosed = true
      for (const { child } of idle.splice(0)) child.stdin?.end()
    },
  }
}
