/** Runs the jobs of the brokerpak contract with the Terraform of this machine, step by step in a folder of their own. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Secret } from '../../../src/kit/secret.ts'
import type { FileIn, Job, Step } from '../../../src/model/job.ts'
import type { Got, Report, StepReport } from '../../../src/model/report.ts'

/** Whether the machine has an engine, and which. */
export function hostEngine(): 'terraform' | 'tofu' | undefined {
  return (['terraform', 'tofu'] as const).find((name) => spawnSync(name, ['version']).status === 0)
}

/** The report of a job; files of the package come from where `entry` finds them. */
export async function runHere(job: Job, entry: (name: string) => string): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'pak-run-'))
  const startedAt = Date.now()
  try {
    for (const { path } of job.folders) mkdirSync(join(folder, path), { recursive: true })
    for (const file of job.files) put(folder, file, entry)
    const steps: StepReport[] = []
    let log = ''
    for (const step of job.steps) {
      const done = await runStep(step, folder)
      log += done.log
      steps.push(done.report)
      if (done.report.exit !== 0 && step.mayFail !== true) break
    }
    const got = new Map<string, Got>()
    for (const want of job.wants) {
      if (want.kind === 'kept-file' || want.kind === 'file') got.set(want.name, take(join(folder, want.path)))
    }
    return { end: { kind: 'finished' }, steps, got, logTail: log, startedAt, finishedAt: Date.now(), notes: [] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function put(folder: string, { path, mode, content }: FileIn, entry: (name: string) => string): void {
  const to = join(folder, path)
  mkdirSync(dirname(to), { recursive: true })
  if (content.kind === 'bytes') writeFileSync(to, content.bytes, { mode })
  if (content.kind === 'secret') writeFileSync(to, content.secret.reveal(), { mode })
  if (content.kind === 'entry') writeFileSync(to, readFileSync(entry(content.entry)), { mode })
}

function take(path: string): Got {
  try {
    return { kind: 'bytes', bytes: new Uint8Array(readFileSync(path)) }
  } catch {
    return { kind: 'missing' }
  }
}

async function runStep(step: Step, folder: string): Promise<{ report: StepReport; log: string }> {
  const { command, environment, streams } = step
  const [program = '', ...words] = command.kind === 'exec' ? command.argv : []
  const env = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value instanceof Secret ? value.reveal() : value]),
  )
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...env, PATH: process.env['PATH'] ?? '', HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out: Buffer[] = []
  let log = ''
  child.stdout.on('data', (piece: Buffer) => {
    out.push(piece)
    log += piece.toString()
  })
  child.stderr.on('data', (piece: Buffer) => {
    log += piece.toString()
  })
  const exit = await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 128))
  })
  const captured = streams.kind === 'apart' && streams.stdout.kind !== 'logged'
  return {
    report: { name: step.name, exit, ...(captured ? { stdout: new Uint8Array(Buffer.concat(out)) } : {}) },
    log,
  }
}
