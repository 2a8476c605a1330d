/** The thread that brings the log of the database into its file: its waits for the disk hold no other work up. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

export type CheckpointAnswer =
  | { readonly kind: 'done'; readonly pages: number }
  | { readonly kind: 'failed'; readonly error: Error; readonly errcode: number | undefined }

const db = new DatabaseSync(String(workerData))

function checkpoint(): CheckpointAnswer {
  try {
    // Takes what it can without making writers wait.
    const { log } = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {}
    return { kind: 'done', pages: Number(log) }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { kind: 'failed', error, errcode: 'errcode' in error ? Number(error.errcode) : undefined }
  }
}

parentPort?.on('message', (order: 'checkpoint' | 'close') => {
  if (order === 'checkpoint') return parentPort?.postMessage(checkpoint())
  db.close()
  parentPort?.close()
})
