/** Drivers of others: programs that are told an operation on standard input and leave outputs in a folder. */
import { spawn } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Bundle, type Claim, operationDocument, operationOf } from '../../contracts/cnab/index.ts'
import { collectFile } from '../../engines/collect.ts'
import type { LogPiece } from '../../engines/engine.ts'
import type { Job } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import type { Got, Report, RunEnd } from '../../model/report.ts'

const tailBytes = 64 * 1024

/** The program of a driver: `cnab-NAME` in the path, or the path of one. Problems: cnab.driver.failed. */
export function findDriver(name: string, environment: NodeJS.ProcessEnv): string {
  const candidates = name.includes('/')
    ? [name]
    : (environment['PATH'] ?? '')
        .split(delimiter)
        .filter((folder) => folder.startsWith('/'))
        .map((folder) => join(folder, `cnab-${name.toLowerCase()}`))
  return (
    candidates.find(isProgram) ??
    fail(
      'cnab.driver.failed',
      name.includes('/') ? `${name} is no program` : `there is no program cnab-${name.toLowerCase()}`,
    )
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** What types of images the driver says it runs; none when it fails. */
export async function typesHandledBy(program: string): Promise<readonly string[]> {
  const child = spawn(program, ['--handles'], { stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  child.stdout.on('data', (piece: Buffer) => {
    if (text.length < 4096) text += piece.toString()
  })
  const exit = await exitOf(child)
  return exit === 0 ? text.split(',').map((word) => word.trim()) : []
}

/** Whether a driver runs the images of these bundles. Problems: cnab.driver.failed. */
export async function refuseUnhandled(program: string, bundles: readonly Bundle[]): Promise<void> {
  const handled = await typesHandledBy(program)
  for (const { invocationImages } of bundles) {
    const type = invocationImages[0]?.imageType ?? 'oci'
    if (!handled.includes(type))
      fail('cnab.driver.failed', `${program} does not handle images of type ${type}`)
  }
}

/** What a driver is told of a run besides its job. */
export interface RunAbout {
  readonly bundle: Bundle
  readonly claim: Claim
}

interface Call {
  readonly job: Job
  readonly about: RunAbout
  readonly signal: AbortSignal
  log(piece: LogPiece): Promise<void>
}

/** Runs a job through a driver. */
export async function callDriver(program: string, { job, about, signal, log }: Call): Promise<Report> {
  const operation = operationOf(job, about)
  const folder = mkdtempSync(join(tmpdir(), 'chandler-driver-'))
  const startedAt = Date.now()
  // Other tools add the variables of the bundle. A driver is a program of this host, and a bundle may name them PATH or
  // LD_PRELOAD; so they stand in the operation only, where a driver reads them as data.
  const added = Object.keys(operation.outputs).length === 0 ? {} : { CNAB_OUTPUT_DIR: folder }
  try {
    mkdirSync(join(folder, 'cnab', 'app', 'outputs'), { recursive: true })
    const child = spawn(program, [], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...added, CNAB_VARS: Object.keys(added).join(',') },
    })
    // A driver may end without having read it all.
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify(operationDocument(operation)))
    const stop = () => void child.kill('SIGTERM')
    signal.addEventListener('abort', stop, { once: true })
    const logs = tailOf()
    const take = (stream: LogPiece['stream']) => async (bytes: Uint8Array) => {
      logs.add(bytes)
      await log({ stream, step: operation.action, bytes })
    }
    const [exit] = await Promise.all([
      exitOf(child),
      pumpLog(child.stdout, take('stdout')),
      pumpLog(child.stderr, take('stderr')),
    ])
    signal.removeEventListener('abort', stop)
    return {
      end: endOf(program, exit, signal.aborted),
      steps: typeof exit === 'number' ? [{ name: operation.action, exit }] : [],
      got: await gotFrom(folder, job),
      logTail: logs.text(),
      startedAt,
      finishedAt: Date.now(),
      notes: [],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function endOf(program: string, exit: number | string, stopped: boolean): RunEnd {
  if (stopped) return { kind: 'stopped' }
  return typeof exit === 'number'
    ? { kind: 'finished' }
    : { kind: 'not-started', detail: `${program}: ${exit}` }
}

/** The exit status, or why there is none. */
function exitOf(child: ReturnType<typeof spawn>): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code ?? signalStatus(signal)))
  })
}

const signals: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

function signalStatus(signal: string | null): number {
  return 128 + (signals[signal ?? ''] ?? 0)
}

async function pumpLog(
  stream: AsyncIterable<Uint8Array>,
  take: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  for await (const bytes of stream) await take(bytes)
}

function tailOf() {
  let kept: Buffer = Buffer.alloc(0)
  return {
    add: (bytes: Uint8Array): void => {
      kept = Buffer.concat([kept, bytes]).subarray(-tailBytes)
    },
    text: () => kept.toString(),
  }
}

/** No link of the driver leads out of its folder. */
async function gotFrom(folder: string, job: Job): Promise<ReadonlyMap<string, Got>> {
  const got = new Map<string, Got>()
  for (const want of job.wants) {
    if (want.kind !== 'file') continue
    const locate = (path: string) => ({ root: folder, path: path.replace(/^\//, '') })
    got.set(want.name, await collectFile(want, { locate, note: () => undefined }))
  }
  return got
}
