/**
 * Small shells that start shims, one at a time each, and are used again.
 * To fork this process, which is large, takes longer than everything else of a start.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { relative } from 'node:path'
import { usualPath } from '../usual-path.ts'

export interface Starters {
  /** Starts the shim of a folder, which waits until it is let go. */
  start(folder: string): Promise<StartedShim>
  close(): void
}

export interface StartedShim {
  /** Lets it begin, for the claim that its layout must belong to. */
  release(fence: number): void
  /** Lets it go unused. */
  dismiss(): void
  hasEnded(): boolean
  /** Tells of its end, once. */
  onEnd(listener: () => void): void
}

interface Starter {
  readonly child: ChildProcess
  /** Called with the end of the shim that the starter runs. */
  ended: (() => void) | undefined
}

const idleMax = 8

/**
 * The shim reads its word to go from where its starter reads what to start: it comes right behind, or never.
 * A word for a shim that ended before is passed over. Where one was killed something of it may still read: its starter goes.
 */
const script = [
  'home=$CHANDLER_ENGINE; unset CHANDLER_ENGINE',
  'while read -r word folder; do',
  '[ "$word" = start ] || continue',
  'setsid "$@" /bin/sh "$home/$folder/private/shim.sh" 2>>"$home/$folder/shim.err" >/dev/null',
  'echo $?',
  'done',
].join('\n')

/** What a shell answers for what a signal has ended. */
const killedFrom = 128

/** Opens them for the folder of an engine; they come when they are needed. */
export function openStarters(home: string, rootless: boolean): Starters {
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
        env: { PATH: usualPath, CHANDLER_ENGINE: home },
      },
    )
    const starter: Starter = { child, ended: undefined }
    const tell = (): void => {
      const { ended } = starter
      starter.ended = undefined
      ended?.()
    }
    child.stdin.on('error', () => undefined)
    child.stdout.on('data', (status: Buffer) => {
      tell()
      const wasKilled = Number(status.toString()) >= killedFrom
      if (isClosed || wasKilled || idle.length >= idleMax) child.stdin.end()
      else idle.push(starter)
    })
    child.once('exit', () => {
      const i = idle.indexOf(starter)
      if (i >= 0) idle.splice(i, 1)
      tell()
    })
    // No process is kept alive for them.
    child.unref()
    for (const pipe of [child.stdin, child.stdout]) if (pipe instanceof Socket) pipe.unref()
    await once(child, 'spawn')
    return starter
  }

  return {
    async start(folder) {
      const starter = idle.pop() ?? (await hire())
      const listeners: (() => void)[] = []
      let isOver = false
      const ended = (): void => {
        isOver = true
        for (const listener of listeners.splice(0)) listener()
      }
      starter.ended = ended
      const { stdin } = starter.child
      stdin?.write(`start ${relative(home, folder)}\n`)
      const say = (words: string): void => {
        // Another shim may be next.
        if (!isOver) stdin?.write(`${words}\n`)
      }
      return {
        release: (fence) => say(`go ${fence}`),
        dismiss: () => say('go nowhere'),
        hasEnded: () => isOver,
        onEnd: (listener) => void listeners.push(listener),
      }
    },
    close() {
      isClosed = true
      for (const { child } of idle.splice(0)) child.stdin?.end()
    },
  }
}
