/**
 * Ends the process when its event loop does not turn any more: a loop that hangs cannot end itself. A shell does the
 * watching, for it costs a megabyte where a thread costs seventeen; it goes when the process goes.
 */
import { spawn } from 'node:child_process'

export interface Watchdog {
  stop(): void
}

export interface WatchdogOptions {
  /** How long the loop may stand still. */
  readonly stallMs: number
  readonly beatMs?: number
  /** Said on standard error before the end. */
  readonly line: string
}

const beatsAtOnce = 10

/** Ten beats have to come in time. An end of input is the end of the process; one that was stopped by a signal may rest. */
const script = `
while :; do
  begun=$(date +%s)
  came=$(timeout "$2" head -c ${beatsAtOnce} | wc -c)
  [ "$came" -eq ${beatsAtOnce} ] && continue
  [ $(($(date +%s) - begun)) -lt "$2" ] && exit
  case $(cat "/proc/$1/stat") in *') T '*) continue ;; esac
  echo "$3" >&2
  kill -KILL "$1"
  exit
done`

/** Starts watching this process; without the tools it needs there is no watch. */
export function startWatchdog({ stallMs, beatMs = 1000, line }: WatchdogOptions): Watchdog {
  const seconds = Math.ceil((stallMs + beatsAtOnce * beatMs) / 1000)
  const shell = spawn('/bin/sh', ['-c', script, 'watchdog', String(process.pid), String(seconds), line], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // A Ctrl-C at the terminal is for the process alone.
    detached: true,
  })
  const timer = setInterval(() => shell.stdin.write('.'), beatMs)
  const stop = (): void => {
    clearInterval(timer)
    shell.stdin.destroy()
  }
  shell.on('error', stop)
  shell.on('exit', stop)
  shell.stdin.on('error', stop)
  timer.unref()
  shell.unref()
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  return { stop }
}
