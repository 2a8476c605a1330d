/** A process that owns a run and dies, or is paused, at a given point: what tests of crashes start and kill. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { openDockerEngine } from '../../src/engines/docker/index.ts'
import { openEmbeddedEngine } from '../../src/engines/embedded/index.ts'
import type { Engine } from '../../src/engines/engine.ts'
import type { Supplies } from '../../src/engines/supplies.ts'
import { systemClock } from '../../src/kit/clock.ts'
import type { Job } from '../../src/model/job.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { merged } from './row.ts'
import { jobOf, listener, orderOf } from './run-row.ts'

export type Point =
  | 'waiting'
  | 'mid-layout'
  | 'laid-out'
  | 'started'
  | 'following'
  | 'ended'
  | 'discarding'
  | 'never'

export interface OwnerOrder {
  readonly folder: string
  readonly engine: { readonly kind: 'embedded' } | { readonly kind: 'docker'; readonly socket: string }
  readonly image: { readonly reference: string; readonly digest: string }
  /** What waits before the run is laid out, if anything does. */
  readonly waits?: 'program' | 'sandbox' | 'network'
  readonly name: string
  readonly at: Point
  readonly how: 'SIGKILL' | 'SIGSTOP'
  readonly seconds: number
}

/** Opens the engine as every owner does. */
export function openFor(
  { folder, engine }: Pick<OwnerOrder, 'folder' | 'engine'>,
  supplies: Supplies,
): Promise<Engine> {
  if (engine.kind === 'embedded') {
    const images = openArtifactStore({ folder: join(folder, 'images') }).images
    return openEmbeddedEngine({ folder: join(folder, 'embedded'), images, supplies, clock: systemClock })
  }
  const { socket } = engine
  const copier = openArtifactStore({ folder: join(folder, 'artifacts') })
  return openDockerEngine({ socket, folder: join(folder, 'docker'), copier, supplies, clock: systemClock })
}

/** The job of an owner; the file is delivered in the midst of its layout. */
export function ownedJob({ image, seconds, waits }: Pick<OwnerOrder, 'image' | 'seconds' | 'waits'>): Job {
  const artifact = { kind: 'artifact', reference: 'a', as: 'blob' } as const
  // A program of the host writes nowhere but into its workspace.
  const base = waits === 'program' ? '' : '/'
  const script = `echo began; cat ${base}in/file; sleep ${seconds}; echo ended; echo result > ${base}out/file`
  const job = jobOf(
    {
      script,
      step: { streams: merged },
      files: [{ path: `${base}in/file`, mode: 0o444, owner: 'root', readOnly: true, content: artifact }],
      folders: [
        { path: `${base}out`, mode: 0o755, readOnly: false, content: { kind: 'empty' }, bytesMax: 65536 },
      ],
      wants: [{ kind: 'file', name: 'out', path: `${base}out/file`, bytesMax: 100 }],
    },
    image,
  )
  const late = { files: [], words: true } as const
  if (waits === 'sandbox') return { ...job, late }
  if (waits === 'network')
    return {
      ...job,
      needs: { ...job.needs, network: 'default' },
      lent: [{ address: '127.0.0.1', port: 9 }],
      late,
    }
  return waits === 'program' ? behindDoor(job, script) : job
}

/** The same as a program of the host that reads an order first. */
function behindDoor(job: Job, script: string): Job {
  const [step] = job.steps
  const argv = ['sh', '-c', `order=$(cat order); [ "$order" = go ] || exit 3; ${script}`] as const
  const content = { kind: 'bytes', bytes: Buffer.from('go') } as const
  return {
    ...job,
    program: { kind: 'tools', tools: [{ name: 'sh', from: { kind: 'host' } }] },
    steps: [{ ...step, command: { kind: 'exec', argv } }],
    files: [...job.files, { path: 'order', mode: 0o600, owner: 'user', readOnly: false, content }],
    late: { files: ['order'], door: 'order' },
  }
}

async function own(order: OwnerOrder): Promise<void> {
  const { at, how, name } = order
  const reached = (point: Point): void => {
    if (point !== at) return
    process.stdout.write(`${point}\n`)
    process.kill(process.pid, how)
  }
  const supplies: Supplies = {
    deliver: async (_what, to) => {
      reached('mid-layout')
      await writeFile(to, 'delivered\n')
    },
  }
  const engine = await openFor(order, supplies)
  const { watch } = listener()
  const following = { ...watch, log: async () => reached('following') }
  const job = ownedJob(order)
  if (order.waits !== undefined) {
    await engine.anticipate?.({ job, cluster: 'test-cluster' }, watch.signal)
    reached('waiting')
  }
  await engine.layOut(orderOf(job, name, 1), watch)
  reached('laid-out')
  const ticket = await engine.start({ name, fence: 1 })
  reached('started')
  await engine.follow(ticket, following)
  reached('ended')
  const discarding = engine.discard(name)
  reached('discarding')
  await discarding
}

const [text] = process.argv.slice(2)
if (text?.startsWith('{"folder"')) {
  try {
    await own(JSON.parse(text) as OwnerOrder)
    process.stdout.write('done\n')
  } catch (error) {
    process.stdout.write(`${error instanceof ProblemError ? error.problem.code : String(error)}\n`)
  }
}
