/** Hands layers to threads, a few at a time; threads are kept for the next layer and keep no process alive. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { fail, ProblemError } from '../../model/problem.ts'
import type { LayerNotes, LayerOrder } from './layer-order.ts'
import type { WorkerAnswer } from './unpack-worker.ts'

// Flags of the main program, such as --input-type, may not suit a thread.
const source = new URL(
  import.meta.url.endsWith('.ts') ? './unpack-worker.ts' : './unpack-worker.mjs',
  import.meta.url,
)
const waiting: (() => void)[] = []
const idle: Worker[] = []
let free = Math.min(4, Math.max(2, availableParallelism()))

/** Unpacks a layer in a thread; stopping it leaves a half-filled folder to the caller. */
export async function unpackInThread(order: LayerOrder, signal: AbortSignal): Promise<LayerNotes> {
  await turn()
  try {
    if (signal.aborted) return fail('artifact.stopped')
    return await run(order, signal)
  } finally {
    free++
    waiting.shift()?.()
  }
}

async function turn(): Promise<void> {
  while (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
  free--
}

async function run(order: LayerOrder, signal: AbortSignal): Promise<LayerNotes> {
  const worker = idle.pop() ?? new Worker(source, { execArgv: [] })
  worker.ref()
  const end = Promise.withResolvers<LayerNotes>()
  const answered = (answer: WorkerAnswer): void => {
    if (answer.kind === 'done') end.resolve(answer.notes)
    else end.reject(new ProblemError(answer.problem))
    worker.unref()
    idle.push(worker)
  }
  const failed = (cause: unknown): void =>
    end.reject(new ProblemError({ code: 'internal.unexpected', cause }))
  const ended = (): void =>
    failed(new ProblemError({ code: 'internal.unexpected', detail: 'the thread ended early' }))
  const stop = (): void => {
    end.reject(new ProblemError({ code: 'artifact.stopped' }))
    void worker.terminate()
  }
  worker.once('message', answered)
  worker.once('error', failed)
  worker.once('exit', ended)
  signal.addEventListener('abort', stop, { once: true })
  worker.postMessage(order)
  try {
    return await end.promise
  } finally {
    signal.removeEventListener('abort', stop)
    worker.off('message', answered)
    worker.off('error', failed)
    worker.off('exit', ended)
  }
}
