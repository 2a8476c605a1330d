/** Runs a small program of the host to its end; for probing and for telling a runtime what to do. */
import { spawn } from 'node:child_process'
import { present } from '../kit/present.ts'
import { usualPath } from './usual-path.ts'

export interface Ran {
  /** Exit status; 127 when it could not be started, 128+n after signal n is not told apart from 255. */
  readonly exit: number
  readonly stdout: Buffer
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly milliseconds?: number
  readonly stdoutBytesMax?: number
}

const environment = { PATH: usualPath }

/** Never rejects: what cannot be started has exit status 127. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { cwd, milliseconds = 30_000, stdoutBytesMax = 16 * 1024 * 1024 } = options
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment,
      ...present({ cwd }),
    })
    // The library's own timeout goes on holding the process when the program could not be started.
    const late = setTimeout(() => child.kill('SIGKILL'), milliseconds)
    const done = (ran: Ran): void => {
      clearTimeout(late)
      resolve(ran)
    }
    const out: Buffer[] = []
    let outBytes = 0
    let err = ''
    child.stdout.on('data', (piece: Buffer) => {
      outBytes += piece.length
      if (outBytes > stdoutBytesMax) child.kill('SIGKILL')
      else out.push(piece)
    })
    child.stderr.on('data', (piece: Buffer) => {
      if (err.length < 64 * 1024) err += piece.toString()
    })
    child.once('error', (error) => done({ exit: 127, stdout: Buffer.alloc(0), stderr: error.message }))
    child.once('close', (exit) => done({ exit: exit ?? 255, stdout: Buffer.concat(out), stderr: err }))
  })
}
