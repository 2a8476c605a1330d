/** The thread that unpacks layers: decompression and file writing stay off the main thread. */
import { parentPort } from 'node:worker_threads'
import { type Problem, toProblem } from '../../model/problem.ts'
import type { LayerNotes, LayerOrder } from './layer-order.ts'
import { unpackLayer } from './unpack-layer.ts'

export type WorkerAnswer =
  | { readonly kind: 'done'; readonly notes: LayerNotes }
  | { readonly kind: 'failed'; readonly problem: Problem }

async function answer(order: LayerOrder): Promise<WorkerAnswer> {
  try {
    return { kind: 'done', notes: await unpackLayer(order) }
  } catch (error) {
    const { cause, ...problem } = toProblem(error)
    return {
      kind: 'failed',
      problem: { ...problem, ...(cause === undefined ? {} : { cause: String(cause) }) },
    }
  }
}

parentPort?.on('message', async (order: LayerOrder) => parentPort?.postMessage(await answer(order)))
