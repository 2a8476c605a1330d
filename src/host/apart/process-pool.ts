/**
 * Asks processes of this program that stand ready: each answers one question after another, is killed when one takes too
 * long, and may use only so much memory. A process, not a thread: memory that V8 cannot get ends the process it runs in.
 */
import { type ChildProcess, fork } from 'node:child_process'

export interface PoolChoice {
  /** The program; it sends `ready`, and then one answer per question. */
  readonly program: URL
  /** Processes at most; they are started when they are needed, and stay. */
  readonly processesMax: number
  /** Questions that may wait for a process; more are turned away at once. */
  readonly waitingMax: number
  readonly deadlineMs: number
  /** Of the heap of JavaScript. */
  readonly memoryMegabytes: number
}

export type Answer =
  | { readonly kind: 'answer'; readonly text: string }
  /** The process was killed at the deadline, or ended by itself: it had no memory left. */
  | { readonly kind: 'too-long' | 'ended' }
  /** Too many others wait already: no process was asked. */
  | { readonly kind: 'busy' }

export interface ProcessPool {
  /** Waits for a free process; never rejects. */
  ask(question: string): Promise<Answer>
  close(): void
}

/** A process and the caller that waits for its present answer. */
interface Member {
  readonly child: ChildProcess
  readonly ready: Promise<void>
  settle: ((answer: Answer) => void) | undefined
}

/** Opens a pool. Its processes neither keep this one alive nor outlive it. */
export function openProcessPool(choice: PoolChoice): ProcessPool {
  const idle: Member[] = []
  const members = new Set<Member>()
  const waiting: ((member: Member | undefined) => void)[] = []
  let isClosed = false

  const free = (member: Member): void => {
    const next = waiting.shift()
    if (next === undefined) idle.push(member)
    else next(member)
  }
  const grow = (): void => {
    if (isClosed || members.size >= choice.processesMax) return
    const member = startMember(choice)
    members.add(member)
    member.child.once('exit', () => {
      members.delete(member)
      const at = idle.indexOf(member)
      if (at >= 0) idle.splice(at, 1)
      member.settle?.({ kind: 'ended' })
      // Its successor stands ready before it is needed.
      if (waiting.length > 0 || members.size === 0) grow()
    })
    free(member)
  }
  return {
    async ask(question) {
      if (isClosed) return { kind: 'ended' }
      if (idle.length === 0) grow()
      if (idle.length === 0 && waiting.length >= choice.waitingMax) return { kind: 'busy' }
      const member = idle.shift() ?? (await new Promise<Member | undefined>((next) => waiting.push(next)))
      if (member === undefined) return { kind: 'ended' }
      const answer = await askMember(member, question, choice.deadlineMs)
      if (answer.kind === 'answer') free(member)
      return answer
    },
    close() {
      isClosed = true
      for (const give of waiting.splice(0)) give(undefined)
      for (const { child } of members) child.kill('SIGKILL')
    },
  }
}

function startMember({ program, memoryMegabytes }: PoolChoice): Member {
  const child = fork(program, [], {
    // Nothing of the environment, no files to write, no programs to start.
    env: {},
    execArgv: [
      `--max-old-space-size=${memoryMegabytes}`,
      // What is young takes three times as much beside it: what Node takes by itself would double the process.
      '--max-semi-space-size=32',
      '--permission',
      '--allow-fs-read=*',
    ],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // A text passes as it is, where JSON would be written and read once more.
    serialization: 'advanced',
  })
  const ready = Promise.withResolvers<void>()
  const member: Member = { child, ready: ready.promise, settle: undefined }
  child.on('message', (message: string) => {
    if (message === 'ready') ready.resolve()
    else member.settle?.({ kind: 'answer', text: message })
  })
  // A process that cannot be started, or not be written to any more, ends like one that was killed.
  child.on('error', () => child.kill('SIGKILL'))
  child.once('exit', () => ready.resolve())
  holdProcess(child, false)
  return member
}

/** The deadline counts from when the process has the question, not from when it is started. */
async function askMember(member: Member, question: string, deadlineMs: number): Promise<Answer> {
  const { child } = member
  holdProcess(child, true)
  const answered = new Promise<Answer>((resolve) => {
    member.settle = resolve
  })
  await member.ready
  if (child.exitCode !== null || child.signalCode !== null) return { kind: 'ended' }
  const timer = setTimeout(() => {
    member.settle?.({ kind: 'too-long' })
    child.kill('SIGKILL')
  }, deadlineMs)
  child.send(question, () => undefined)
  const answer = await answered
  clearTimeout(timer)
  member.settle = undefined
  holdProcess(child, false)
  return answer
}

/** Only a process that is at work keeps this program from ending. */
function holdProcess(child: ChildProcess, hold: boolean): void {
  if (hold) child.ref()
  else child.unref()
  if (hold) child.channel?.ref()
  else child.channel?.unref()
}
