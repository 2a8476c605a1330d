/** Keeps the log of the database short, with a thread that comes when there is something to do. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
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
/** A log of 32 MB is brought in while nobody writes, so that it can begin anew. */
const pagesMax = 8192

export function openCheckpoints({ path, apart, failed }: Around): Checkpoints {
  let worker: Worker | undefined
  let writes = 0
  let working: Promise<void> | undefined

  async function ask(): Promise<number> {
    if (worker === undefined) {
      worker = new Worker(source, {
        workerData: path,
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: 16 },
      })
      worker.unref()
    }
    const answer = once(worker, 'message') as Promise<[CheckpointAnswer]>
    worker.postMessage('checkpoint')
    const [told] = await answer
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
      // Who waits for it here may have nothing else to wait for.
      worker?.ref()
      await working
      if (worker === undefined) return
      const gone = once(worker, 'exit')
      worker.postMessage('close')
      await gone
    },
  }
}
