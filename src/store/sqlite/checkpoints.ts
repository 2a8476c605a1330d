/** Keeps the log of the database short, with a thread that comes when there is something to do. */
import { Worker } from 'node:worker_threads'
import { ProblemError } from '../../model/problem.ts'
import type { CheckpointAnswer } from './checkpoint-worker.ts'

export interface Checkpoints {
  /** Something was written. */
  written(): void
  close(): Promise<void>
}

interface Around {
  readonly path: string
  /** Keeps writers out while the work goes on. */
  apart(work: () => Promise<void>): Promise<void>
  failed(error: Error): void
}

const source = new URL(
  import.meta.url.endsWith('.ts') ? './checkpoint-worker.ts' : './checkpoint-worker.mjs',
  import.meta.url,
)
const writesBetween = 256
/** A log of 32 MB is brought in while writers wait, so that it can begin anew. */
const pagesMax = 8192

export function openCheckpoints({ path, apart, failed }: Around): Checkpoints {
  let worker: Worker | undefined
  let asked: PromiseWithResolvers<CheckpointAnswer> | undefined
  let writes = 0
  let working: Promise<void> | undefined

  function begin(): Worker {
    const begun = new Worker(source, {
      workerData: path,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16 },
    })
    begun.unref()
    begun.on('message', (answer: CheckpointAnswer) => asked?.resolve(answer))
    // A thread that dies is reported and forgotten: the next caller begins another.
    begun.on('error', failed)
    begun.on('exit', () => {
      worker = undefined
      asked?.reject(
        new ProblemError({ code: 'store.unavailable', detail: 'the thread of the checkpoints ended' }),
      )
    })
    return begun
  }

  async function ask(): Promise<number> {
    asked = Promise.withResolvers()
    worker ??= begin()
    worker.postMessage('checkpoint')
    const told = await asked.promise
    if (told.kind === 'done') return told.pages
    // An error comes over without its number.
    throw Object.assign(told.error, { errcode: told.errcode })
  }

  async function work(): Promise<void> {
    writes = 0
    if ((await ask()) >= pagesMax) await apart(async () => void (await ask()))
  }

  return {
    written() {
      writes++
      if (writes < writesBetween || working !== undefined) return
      working = work()
        .catch(failed)
        .finally(() => {
          working = undefined
        })
    },
    async close() {
      // A caller that waits for it here may have nothing else to wait for.
      worker?.ref()
      await working
      const last = worker
      if (last === undefined) return
      const gone = new Promise((resolve) => last.once('exit', resolve))
      last.postMessage('close')
      await gone
    },
  }
}
