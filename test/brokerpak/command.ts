/** The command line as its users have it, asked by tests of paks. */
import { spawn } from 'node:child_process'
import { passwords } from '../support/broker.ts'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Desk {
  readonly program: string
  readonly home: string
  readonly url: string
}

/** Runs it to its end, as the operator unless said. */
export function chandler(
  { program, home, url }: Desk,
  args: readonly string[],
  user: 'admin' | 'watcher' = 'admin',
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      XDG_CONFIG_HOME: home,
      CHANDLER_SERVER: url,
      CHANDLER_USER: user,
      CHANDLER_PASSWORD: passwords[user],
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (bytes) => {
    said.stdout += bytes
  })
  child.stderr.on('data', (bytes) => {
    said.stderr += bytes
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })))
}
