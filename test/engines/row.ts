/** One row of the behaviour table: a program as a shell script, what is around it, what must be seen of it. */
import type { EngineFacts } from '../../src/engines/engine.ts'
import type { FileIn, Folder, Job, Limits, Needs, StdoutUse, Step, Tool, Want } from '../../src/model/job.ts'
import type { Got, Report } from '../../src/model/report.ts'
import type { Program } from '../support/memory-engine.ts'

export interface Row {
  readonly title: string
  /** For `/bin/sh -c`, its own process and no child. */
  readonly script?: string
  /** The same for an engine that has no shell; a row without it needs a real one. */
  readonly act?: Program
  /** Which of the test images; `plain` unless said. */
  readonly image?: ImageName
  /** A program of the host instead of an image. */
  readonly tools?: readonly Tool[]
  readonly step?: Partial<Step>
  /** Instead of the one step with the script. */
  readonly steps?: Job['steps']
  readonly files?: readonly FileIn[]
  readonly folders?: readonly Folder[]
  readonly wants?: readonly Want[]
  readonly needs?: Partial<Needs>
  readonly limits?: Partial<Limits>
  /** Why an engine with these facts cannot be asked this. */
  readonly cannot?: (facts: EngineFacts) => string | undefined
  readonly see: (seen: Seen) => void
}

export type ImageName = 'plain' | 'app' | 'named' | 'bare'

export interface Seen {
  readonly report: Report
  /** What the log brought, by stream. */
  readonly stdout: Buffer
  readonly stderr: Buffer
  /** Both, in the order they came. */
  readonly log: Buffer
  readonly pieces: readonly { readonly stream: string; readonly step: string; readonly at: number }[]
  readonly kept: readonly { readonly name: string; readonly text: string }[]
  readonly milliseconds: number
}

export const captured: Step['streams'] = {
  kind: 'apart',
  stdout: { kind: 'captured', bytesMax: 1024 * 1024 },
}
export const merged: Step['streams'] = { kind: 'merged' }

export function apart(stdout: StdoutUse): Step['streams'] {
  return { kind: 'apart', stdout }
}

/** The captured stdout of a step as text. */
export function printed({ report }: Seen, step = 0): string {
  return Buffer.from(report.steps[step]?.stdout ?? []).toString()
}

/** A thing brought back, as text; its kind where it has none. */
export function gotText({ report }: Seen, name: string): string | undefined {
  const got: Got | undefined = report.got.get(name)
  return got?.kind === 'bytes' ? Buffer.from(got.bytes).toString() : got?.kind
}

export function file(path: string, text: string, more: Partial<FileIn> = {}): FileIn {
  return {
    path,
    mode: 0o644,
    owner: 'user',
    readOnly: false,
    content: { kind: 'bytes', bytes: Buffer.from(text) },
    ...more,
  }
}

export function folder(path: string, more: Partial<Folder> = {}): Folder {
  return { path, mode: 0o755, readOnly: false, content: { kind: 'empty' }, ...more }
}

export function wantFile(path: string, bytesMax = 1024): Want {
  return { kind: 'file', name: path, path, bytesMax }
}
