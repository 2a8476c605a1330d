/** Which program of an image a step runs, and where it may lie. */
import { join } from 'node:path'
import { headBytes } from '../artifacts/interpreter.ts'
import type { Job, Program, Step } from '../model/job.ts'
import { fail } from '../model/problem.ts'
import { usualPath } from './usual-path.ts'

/** Writes an image to another place: a file that Docker can load, a registry; the artifact store's copy does. */
export interface ImageCopier {
  copy(order: {
    readonly from: string
    readonly to: string
    readonly platform?: string
    readonly signal: AbortSignal
    progress(text: string): void
  }): Promise<unknown>
}

export type ImageProgram = Extract<Program, { kind: 'image' }>

/** What must be known of an image to find its programs. */
export interface ProgramImage {
  readonly entrypoint: readonly string[]
  readonly environment: readonly string[]
  readonly workingFolder: string
}

export interface WantedProgram {
  readonly job: Job
  readonly image: ProgramImage
}

/** The argument list of a step: entrypoint and arguments, or a program of its own. */
export function argvOf({ command }: Step, { entrypoint }: ProgramImage): readonly [string, ...string[]] {
  const argv = command.kind === 'exec' ? command.argv : [...entrypoint, ...command.arguments]
  const [program, ...rest] = argv
  return program === undefined
    ? fail('engine.start-failed', 'the image has no entrypoint')
    : [program, ...rest]
}

/** Where the program of the first step is looked for, in this order. */
export function placesOf(program: string, { job, image }: WantedProgram): readonly string[] {
  const [step] = job.steps
  if (program.startsWith('/')) return [program]
  if (program.includes('/')) return [join(step.workingFolder ?? image.workingFolder, program)]
  const own = step.environment['PATH'] ?? image.environment.find((line) => line.startsWith('PATH='))?.slice(5)
  const folders = typeof own === 'string' ? own : usualPath
  return folders.split(':').map((folder) => join('/', folder, program))
}

/** The beginning of what the job itself puts there; empty where it cannot be told. */
export function broughtAt({ files, folders }: Job, place: string): Buffer | undefined {
  const file = files.find(({ path }) => path === place)
  if (file?.content.kind === 'bytes') return Buffer.from(file.content.bytes.subarray(0, headBytes))
  const isBrought = file !== undefined || folders.some(({ path }) => place.startsWith(`${path}/`))
  return isBrought ? Buffer.alloc(0) : undefined
}

/** The reference of exactly this image. */
export function withDigest({ reference, digest }: ImageProgram): string {
  return reference.startsWith('docker-archive:') || reference.includes('@')
    ? reference
    : `${reference}@${digest}`
}
