/** Waits for an operation: progress and log for people on a terminal, plain lines elsewhere. */
import type { Command } from 'commander'
import type { Ordered } from '../api/instance.ts'
import type { Operation } from '../api/operation.ts'
import type { Client, FollowedEvent } from '../client/client.ts'

import { printable, shorten } from '../kit/text.ts'
import { fail, ProblemError } from '../model/problem.ts'
import { coloured, columns, isTerminal, say, sayOver } from './terminal.ts'

export interface WaitOptions {
  /** commander's `--no-wait`. */
  readonly wait?: boolean
  readonly timeout?: string
  readonly cancelOnInterrupt?: boolean
  readonly quiet?: boolean
}

/** Adds `--no-wait` and its company. */
export function withWaiting(command: Command): Command {
  return command
    .option('--wait', 'wait for the end; so it is without this, too')
    .option('--no-wait', 'return as soon as the order is taken')
    .option('--timeout <duration>', 'how long to wait, such as 90s or 30m', '30m')
    .option('--cancel-on-interrupt', 'cancel the operation on Ctrl-C instead of leaving it running')
}

/** Waits for what was ordered unless told not to; throws when it failed. */
export async function waitFor(client: Client, ordered: Ordered, options: WaitOptions): Promise<void> {
  if (ordered.operation === undefined || options.wait === false) return
  const ended = await watch(client, ordered.operation, options)
  if (ended.state !== 'succeeded') throw new ProblemError(problemOf(ended))
}

/** Longer ones fire at once. */
const timerMax = 2 ** 31 - 1

/** Follows an operation to its end and answers it. Problems: wait.gave-up. */
export async function watch(client: Client, id: string, options: WaitOptions): Promise<Operation> {
  const stop = new AbortController()
  const limit = durationOf(options.timeout ?? '30m')
  let reason: Reason | undefined
  const end = (why: Reason) => {
    reason ??= why
    stop.abort()
  }
  const timer = setTimeout(() => end('timeout'), Math.min(limit, timerMax))
  const interrupted = () => end('interrupt')
  const terminated = () => end('terminate')
  process.once('SIGINT', interrupted)
  process.once('SIGTERM', terminated)
  const show = options.quiet ? silent : display()
  try {
    for await (const event of client.follow(id, stop.signal)) {
      show.event(event)
      if (event.kind === 'end') return event.operation
    }
  } catch (error) {
    if (reason === undefined) throw error
  } finally {
    clearTimeout(timer)
    process.removeListener('SIGINT', interrupted)
    process.removeListener('SIGTERM', terminated)
    show.close()
  }
  if (reason === 'interrupt' || reason === 'terminate') return leave(client, id, reason, options)
  const hint = `Go on waiting: chandler operation logs -f ${id}`
  return fail('wait.gave-up', `operation ${id} is not done after ${options.timeout ?? '30m'}`, { hint })
}

type Reason = 'timeout' | 'interrupt' | 'terminate'

async function leave(client: Client, id: string, reason: Reason, options: WaitOptions): Promise<never> {
  if (options.cancelOnInterrupt && reason === 'interrupt') {
    await client.cancel(id)
    say(`Cancelled. See how it ends: chandler operation logs -f ${id}`)
  } else {
    say(`The operation goes on. Follow it: chandler operation logs -f ${id}`)
  }
  process.exit(reason === 'interrupt' ? 130 : 143)
}

/** Why it did not work, in the words of exit code 3. */
export function problemOf(operation: Operation) {
  const cancelled = operation.state === 'cancelled'
  return {
    code: cancelled ? ('operation.cancelled' as const) : ('operation.failed' as const),
    detail: operation.description ?? operation.reason,
    hint: `${operation.problem?.hint ?? 'Look what it printed.'} Log: chandler operation logs ${operation.id}`,
  }
}

interface Display {
  event(event: FollowedEvent): void
  close(): void
}

const silent: Display = { event: () => undefined, close: () => undefined }

function display(): Display {
  return isTerminal('stderr') ? lively() : plainly()
}

/** Lines only. */
function plainly(): Display {
  const log = lineWise()
  return {
    event: (event) => {
      if (event.kind === 'log') for (const line of log(event)) say(line)
      if (event.kind === 'operation') say(describe(event.operation))
    },
    close: () => undefined,
  }
}

const wheel = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'

/** One line that is written over, with the log growing above it. */
function lively(): Display {
  const log = lineWise()
  const startedAt = performance.now()
  let text = ''
  let turn = 0
  const draw = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const sign = wheel[turn++ % wheel.length] ?? ''
    sayOver(shorten(`${sign} ${text} (${seconds} s)`, columns() - 1))
  }
  const timer = setInterval(draw, 100)
  return {
    event: (event) => {
      if (event.kind === 'log') {
        for (const line of log(event)) sayOver(`${coloured('stderr', 'dim', line)}\n`)
      }
      if (event.kind === 'operation') text = describe(event.operation)
      draw()
    },
    close: () => {
      clearInterval(timer)
      sayOver('')
    },
  }
}

function describe({ action, state, reason }: Operation): string {
  return reason === state ? `${action}: ${state}` : `${action}: ${state}, ${reason}`
}

/** Whole lines out of pieces; what is unfinished waits for the next piece of its stream. */
export function lineWise(): (event: Extract<FollowedEvent, { kind: 'log' }>) => readonly string[] {
  const rests = new Map<string, string>()
  return ({ line }) => {
    const lines = ((rests.get(line.stream) ?? '') + line.text).split('\n')
    rests.set(line.stream, lines.pop() ?? '')
    return lines.map(printable)
  }
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30m` in milliseconds. Problems: usage.invalid. */
export function durationOf(text: string): number {
  const [, count, unit = ''] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? []
  const factor = units[unit]
  return factor === undefined
    ? fail('usage.invalid', `${JSON.stringify(text)} is no duration such as 90s or 30m`)
    : Number(count) * factor
}
