/** Brings one piece of content into a file: hashed while it streams, resumed where an earlier attempt stopped. */
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Chance, Clock } from '../../kit/clock.ts'
import { fail, type Problem, ProblemError, toProblem } from '../../model/problem.ts'
import { hashFor, splitDigest } from '../digest.ts'
import type { Descriptor } from '../oci/manifest.ts'
import type { Stretch } from '../oci/place.ts'
import { flushFolder, unwritable } from './durable.ts'

export type Origin = (from: number, signal: AbortSignal) => Promise<Stretch>

export interface Download {
  readonly wanted: Descriptor
  readonly origin: Origin
  /** Where unfinished files lie, and where the finished one goes. */
  readonly partialFolder: string
  readonly path: string
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly chance: Chance
  progress(bytes: number): void
}

/** Attempts in a row that may bring nothing new. */
const attemptsMax = 5
const pauseBaseMs = 250
const pauseMaxMs = 10_000

/** Downloads until the file is complete and its digest right. Problems: artifact.altered, artifact.stopped, those of the origin. */
export async function download(what: Download): Promise<void> {
  const working = await claimPartial(what)
  let finished = false
  try {
    await fill(what, working)
    await rename(working, what.path)
    finished = true
  } catch (error) {
    throw unwritable(error, what.path)
  } finally {
    if (!finished) await release(what, working)
  }
  await flushFolder(join(what.path, '..'))
}

async function fill(what: Download, working: string): Promise<void> {
  const handle = await open(working, 'a+', 0o644)
  try {
    let resumed = (await handle.stat()).size > 0
    for (let attempt = 1; ; attempt++) {
      const before = (await handle.stat()).size
      const problem = await tryOnce(what, handle)
      if (problem === undefined) return await handle.sync()
      if (problem.code === 'artifact.altered') {
        await handle.truncate(0)
        // What an earlier process left may be damaged; only fresh bytes can accuse the source.
        if (!resumed) fail(problem.code, problem.detail, problem)
        resumed = false
        continue
      }
      if ((await handle.stat()).size > before) attempt = 0
      if (what.signal.aborted) fail('artifact.stopped')
      if (!mayPass(problem) || attempt >= attemptsMax) fail(problem.code, problem.detail, problem)
      await what.clock.sleep(pauseMs(attempt, what.chance), what.signal)
    }
  } finally {
    await handle.close()
  }
}

async function tryOnce(what: Download, handle: FileHandle): Promise<Problem | undefined> {
  try {
    const hash = hashFor(what.wanted.digest)
    const there = (await handle.stat()).size
    const { from, bytes } = await what.origin(Math.min(there, what.wanted.size), what.signal)
    if (from < there) await handle.truncate(from)
    for await (const chunk of handle.createReadStream({ start: 0, autoClose: false }))
      hash.update(chunk as Buffer)
    let size = from
    for await (const chunk of arriving(bytes)) {
      if (what.signal.aborted) return { code: 'artifact.stopped' }
      size += chunk.byteLength
      if (size > what.wanted.size) return altered(what, `more than the ${what.wanted.size} bytes announced`)
      hash.update(chunk)
      await writeWhole(handle, chunk)
      what.progress(chunk.byteLength)
    }
    if (size < what.wanted.size) {
      return {
        code: 'registry.failed',
        detail: `the transfer ended after ${size} of ${what.wanted.size} bytes`,
      }
    }
    const found = hash.digest('hex')
    const { algorithm, hex } = splitDigest(what.wanted.digest)
    return found === hex ? undefined : altered(what, `found ${algorithm}:${found}`)
  } catch (error) {
    return toProblem(unwritable(error, what.path))
  }
}

/** Tells failures of the source from failures to write: only the former may pass. */
async function* arriving(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    if (error instanceof ProblemError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    fail('registry.unreachable', `the transfer was cut off: ${code ?? message}`, { cause: error })
  }
}

/** A transfer cut off by the network may pass; a refusal will not. */
function mayPass({ code }: Problem): boolean {
  return code === 'registry.unreachable' || code === 'registry.failed'
}

function altered({ wanted }: Download, detail: string): Problem {
  return { code: 'artifact.altered', detail: `expected ${wanted.digest}: ${detail}` }
}

/** Exponential with full jitter, so that many waiting for one registry do not come back together. */
function pauseMs(attempt: number, chance: Chance): number {
  return chance.number() * Math.min(pauseMaxMs, pauseBaseMs * 2 ** attempt)
}

async function writeWhole(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength; ) {
    at += (await handle.write(chunk, at, chunk.byteLength - at)).bytesWritten
  }
}

/**
 * Takes over what an earlier attempt left, or starts anew. Renaming is the claim: of two processes one wins.
 * A file of a process that lives is left alone.
 */
async function claimPartial({ wanted, partialFolder }: Download): Promise<string> {
  const { algorithm, hex } = splitDigest(wanted.digest)
  const stem = `${algorithm}-${hex}`
  const working = join(partialFolder, `${stem}.${process.pid}.${randomBytes(6).toString('hex')}`)
  for (const name of await readdir(partialFolder)) {
    if (!name.startsWith(stem) || !isIdle(name)) continue
    try {
      await rename(join(partialFolder, name), working)
      return working
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unwritable(error, partialFolder)
    }
  }
  return working
}

/** Whether an unfinished file is abandoned: it was let go, or its process has ended. */
export function isIdle(name: string): boolean {
  const owner = name.split('.')[1] ?? 'idle'
  if (owner === 'idle') return true
  const pid = Number.parseInt(owner, 10)
  if (pid === process.pid || !(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

async function release({ wanted, partialFolder }: Download, working: string): Promise<void> {
  const { algorithm, hex } = splitDigest(wanted.digest)
  try {
    await rename(working, join(partialFolder, `${algorithm}-${hex}.idle`))
  } catch {
    await rm(working, { force: true })
  }
}
