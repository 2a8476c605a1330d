/** Reading, verifying and transferring a component of a gigabyte, against copying the same bytes and hashing them; and the memory that it takes. */
import { execFileSync, spawn } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../../src/authoring/ocm/make.ts'
import { freshFolder } from '../../test/support/image.ts'
import { installedProgram } from '../../test/support/installed.ts'
import { type Figure, median, show } from '../figures.ts'

const rounds = 3
const parts = 4
const partBytes = 256 * 1024 * 1024
const memoryGoal = 100

export async function bench(): Promise<void> {
  const home = freshFolder('bench-ocm')
  try {
    const resources = Array.from({ length: parts }, (_, i) => ({
      name: `part-${i}`,
      type: 'blob',
      input: { type: 'file', path: randomFile(join(home, `part-${i}`)) },
    }))
    const file = join(home, 'constructor.json')
    const component = {
      name: 'example.org/bench/large',
      version: '1.0.0',
      provider: { name: 'example.org' },
      resources,
    }
    writeFileSync(file, JSON.stringify(component))
    const from = join(home, 'ctf')
    const templates = { template: (text: string) => text, inputTemplate: (text: string) => text, values: {} }
    const quiet = { signal: new AbortController().signal }
    await build(
      { file, to: from, overwrite: false, skipDigests: false, progress: () => undefined, ...templates },
      quiet,
    )
    const program = installedProgram()
    const taken = {
      copy: [] as number[],
      hash: [] as number[],
      transfer: [] as number[],
      verify: [] as number[],
      bare: [] as number[],
      memory: [] as number[],
    }
    for (let i = 0; i < rounds; i++) {
      taken.copy.push(timed(() => execFileSync('cp', ['-r', from, join(home, `copy-${i}`)])))
      taken.hash.push(timed(() => execFileSync('sh', ['-c', `openssl dgst -sha256 ${from}/blobs/*`])))
      const bare = await command(['-e', 'setTimeout(() => undefined, 300)'])
      taken.bare.push(bare.megabytes)
      const transfer = await command([program, 'ocm', 'transfer', from, '--to', join(home, `to-${i}`)])
      const verify = await command([program, 'ocm', 'verify', from, '--digests-only'])
      taken.transfer.push(transfer.ms)
      taken.verify.push(verify.ms)
      taken.memory.push(Math.max(transfer.megabytes, verify.megabytes))
      for (const name of [`copy-${i}`, `to-${i}`]) rmSync(join(home, name), { recursive: true, force: true })
    }
    const both = taken.copy.map((ms, i) => ms + (taken.hash[i] ?? 0))
    console.log(
      `every byte that is moved is hashed: copying takes ${median([...taken.copy]).toFixed(0)} ms here, hashing alone ${median([...taken.hash]).toFixed(0)} ms (openssl)`,
    )
    show([
      {
        ...figure('transfer of 1 GB to a folder, against cp', taken.transfer, taken.copy),
        goal: { atMost: 1.3 },
      },
      figure('transfer of 1 GB to a folder, against cp and openssl after it', taken.transfer, both),
      figure('verifying 1 GB, against openssl', taken.verify, taken.hash),
      {
        name: `most memory (goal ${memoryGoal} MB)`,
        ours: Math.max(...taken.memory),
        floor: memoryGoal,
        unit: 'MB',
        goal: { atMost: 1 },
      },
      {
        name: 'most memory, against Node that does nothing',
        ours: Math.max(...taken.memory),
        floor: median([...taken.bare]),
        unit: 'MB',
      },
    ])
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function figure(name: string, ours: readonly number[], floor: readonly number[]): Figure {
  return { name, ours: median([...ours]), floor: median([...floor]), unit: 'ms' }
}

function randomFile(path: string): string {
  mkdirSync(join(path, '..'), { recursive: true })
  const piece = Buffer.alloc(16 * 1024 * 1024)
  const file = openSync(path, 'w')
  for (let i = 0; i < partBytes / piece.length; i++) writeSync(file, randomFillSync(piece))
  closeSync(file)
  return path
}

function timed(work: () => void): number {
  const begun = performance.now()
  work()
  return performance.now() - begun
}

/** How long a command takes, and the most memory that it had at once. */
async function command(
  args: readonly string[],
): Promise<{ readonly ms: number; readonly megabytes: number }> {
  const begun = performance.now()
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  let peak = 0
  const look = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid))
  }, 20)
  await new Promise((resolve) => child.once('exit', resolve))
  clearInterval(look)
  return { ms: performance.now() - begun, megabytes: peak / 1024 }
}

function peakOf(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    // It has just ended.
    return 0
  }
}
