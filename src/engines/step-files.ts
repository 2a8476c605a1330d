/** The files that the streams of a run's steps go to, and what must be known of a step to find them. */
import { join } from 'node:path'
import type { Job, Step } from '../model/job.ts'

export interface StepRecord {
  readonly name: string
  readonly streams: Step['streams']
  readonly stopSignal: 'TERM' | 'INT'
}

/** The files of a step's log and of its output. */
export interface StepFiles {
  readonly step: string
  readonly logs: readonly { readonly stream: 'stdout' | 'stderr'; readonly file: string }[]
  /** Where stdout is kept for the report. */
  readonly captured?: { readonly file: string; readonly bytesMax: number }
}

export interface StreamFolders {
  readonly folder: string
  /** For what may be credentials. */
  readonly private: string
}

/** What must be known of the steps of a job. */
export function stepRecords({ steps }: Job): readonly StepRecord[] {
  return steps.map(({ name, streams, stopSignal = 'TERM' }) => ({ name, streams, stopSignal }))
}

/** Which files the streams of the steps go to. */
export function filesOf(paths: StreamFolders, steps: readonly StepRecord[]): readonly StepFiles[] {
  return steps.map(({ name, streams }, i) => {
    const out = join(paths.folder, `out.${i}`)
    const err = { stream: 'stderr', file: join(paths.folder, `err.${i}`) } as const
    if (streams.kind === 'merged') return { step: name, logs: [{ stream: 'stdout', file: out }] }
    const { stdout } = streams
    if (stdout.kind === 'logged') return { step: name, logs: [{ stream: 'stdout', file: out }, err] }
    const { bytesMax } = stdout
    if (stdout.kind === 'both') {
      return { step: name, logs: [{ stream: 'stdout', file: out }, err], captured: { file: out, bytesMax } }
    }
    // What is captured may be credentials: it stays on memory.
    return { step: name, logs: [err], captured: { file: join(paths.private, `out.${i}`), bytesMax } }
  })
}
