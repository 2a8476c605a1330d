/** Lays a run out on a Docker engine: image, ticket, container, files. Every part can be done again after a crash. */
import { randomBytes } from 'node:crypto'
import { access, chmod, chown, mkdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encode } from '../../kit/codec.ts'
import { sha256 } from '../../kit/hash.ts'
import type { Job, Step } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import { unlessAbsent } from '../absent.ts'
import { planContainerFiles } from '../container-plan.ts'
import { bytesBelow } from '../disk-use.ts'
import type { RunOrder, Watch } from '../engine.ts'
import { makePrivates } from '../privates.ts'
import { networkTexts } from '../run-network.ts'
import { filesOf, stepRecords } from '../step-files.ts'
import { resolveUser, type User } from '../user.ts'
import { create, hasEnded, inspect, labels, readOut } from './container.ts'
import { modeFor, placeContainerFiles, uploadFiles } from './container-files.ts'
import { type DockerContext, ticketOf } from './context.ts'
import { openFolders } from './disk.ts'
import { type EngineImage, ensureImage } from './image.ts'
import { makePipes, streamsOf } from './log-pump.ts'
import { type ContainerNetwork, upPipe } from './network.ts'
import { checkProgram } from './program.ts'
import { containerBody, type Making } from './settings.ts'
import {
  fenceOfTicket,
  readTicket,
  type TicketPaths,
  type TicketRecord,
  ticketFence,
  ticketIn,
} from './ticket.ts'

/** Idempotent by name. Problems: engine.name-conflict, engine.layout-gone, engine.start-failed, engine.user-unknown. */
export async function layOut(yard: DockerContext, order: RunOrder, watch: Watch): Promise<void> {
  const { job, name } = order
  if (job.program.kind !== 'image') return fail('engine.refused', job.program.kind)
  const paths = ticketOf(yard, name)
  const spec = sha256(encode(job))
  if (await isReady(yard, { order, paths, spec })) return
  const scratch = join(yard.folder, 'aside')
  const image = await ensureImage(yard.docker, job.program, { copier: yard.copier, scratch, watch })
  const plan = planContainerFiles(job, yard.mayMount)
  const network = await networkFor(yard, job)
  if ((await readTicket(paths)) === undefined) await makeTicket(yard, { order, paths, spec, plan, network })
  const secret = await readlink(paths.private)
  const body = containerBody({ yard, order, spec, paths, secret, image, plan, network })
  await create(yard.docker, name, body)
  const user = await userOf(yard, name, job.steps[0], image)
  await checkProgram(yard.docker, name, { job, image })
  await placeContainerFiles(plan, { user, paths, supplies: yard.supplies, signal: watch.signal })
  await ownStreams(paths, { job, user, network })
  await uploadFiles(yard.docker, name, { plan, user })
  await writeFile(paths.ready, String(await bytesBelow(openFolders(paths))))
}

/** Addresses are lent to a network of its own only; those that are not loopback's are in reach of the engine's. */
async function networkFor(
  yard: DockerContext,
  { needs, lent = [] }: Job,
): Promise<ContainerNetwork | undefined> {
  if (needs.network === 'none') return undefined
  const network = await yard.network()
  const loopback = lent.find(({ address }) => address.startsWith('127.'))
  if (network.kind !== 'engine') return network
  if (yard.networkChoice === 'own')
    return fail('engine.refused', `no network of its own can be made: ${network.why}`)
  return loopback === undefined
    ? network
    : fail('engine.refused', `${loopback.address} of this host cannot be lent to containers: ${network.why}`)
}

interface Ticket {
  readonly order: RunOrder
  readonly paths: TicketPaths
  readonly spec: string
}

async function isReady(yard: DockerContext, { order, paths, spec }: Ticket): Promise<boolean> {
  const { name, cluster, fence } = order
  const record = await readTicket(paths)
  const there = await inspect(yard.docker, name)
  if (there !== undefined && there.labels[labels.cluster] !== cluster) {
    return fail('engine.name-conflict', `there is a foreign container ${name}`)
  }
  if (record === undefined) {
    // A container without a ticket can never start; it is what a half-done discard left.
    return false
  }
  if (record.cluster !== cluster || record.spec !== spec) {
    return fail('engine.name-conflict', 'it was laid out for another job')
  }
  if (there !== undefined && there.status !== 'created' && there.status !== 'configured') return true
  const before = await fenceOfTicket(paths)
  if (before === undefined || before > fence) return fail('engine.layout-gone', name)
  if (before < fence) await rename(ticketFence(paths, before), ticketFence(paths, fence)).catch(unlessAbsent)
  const isComplete = await access(paths.ready).then(() => true, unlessAbsent)
  return isComplete === true && there !== undefined
}

async function makeTicket(
  yard: DockerContext,
  { order, paths, spec, plan, network }: Ticket & Pick<Making, 'plan' | 'network'>,
): Promise<void> {
  const { name, job, cluster, operation, fence } = order
  const unique = `${name}~${randomBytes(6).toString('hex')}`
  const aside = ticketIn(join(yard.folder, 'aside', unique))
  const secret = join(yard.privates, unique)
  const record: TicketRecord = {
    cluster,
    operation,
    spec,
    laidOutAt: yard.clock.now(),
    steps: stepRecords(job),
    wants: job.wants,
    limits: job.limits,
    stopSignal: job.steps[0].stopSignal ?? 'TERM',
    places: plan.places,
    checked: plan.checked,
    ...(network?.kind === 'own' ? { network: job.lent ?? [] } : {}),
  }
  try {
    makePrivates(yard.privates, yard.folder)
    await Promise.all([aside.folder, secret].map((path) => mkdir(path, { mode: 0o711 })))
    await symlink(secret, aside.private)
    await mkdir(aside.gate)
    for (const name of plan.folders) await mkdir(join(aside.folder, name))
    for (const name of plan.files) await writeFile(join(aside.folder, name), '', { mode: 0o600 })
    for (const { logs, captured } of filesOf(aside, record.steps)) {
      for (const file of [...logs.map(({ file }) => file), ...(captured ? [captured.file] : [])]) {
        await writeFile(file, '', { mode: 0o600 })
      }
    }
    const ownPipes = network?.kind === 'own' ? [upPipe] : []
    await makePipes(aside.folder, [...streamsOf(aside, record.steps).map(({ pipe }) => pipe), ...ownPipes])
    if (network?.kind === 'own')
      for (const [name, text] of networkTexts(job)) await writeFile(join(aside.folder, name), text)
    for (const mark of [aside.unpoured, aside.whole]) await writeFile(mark, '')
    await writeFile(aside.record, JSON.stringify(record), { mode: 0o600 })
    await writeFile(ticketFence(aside, fence), '')
    await rename(aside.folder, paths.folder)
  } catch (error) {
    await Promise.all([aside.folder, secret].map((path) => rm(path, { recursive: true, force: true })))
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}

/** The program, not the engine, passes the gate and opens its streams, perhaps more than once. */
async function ownStreams(
  paths: TicketPaths,
  { job, user, network }: { readonly job: Job; readonly user: User } & Pick<Making, 'network'>,
): Promise<void> {
  const isRoot = process.geteuid?.() === 0
  const own = async (path: string, mode: number): Promise<void> => {
    if (isRoot) await chown(path, user.uid, user.gid)
    else await chmod(path, modeFor(user, mode))
  }
  const streams = streamsOf(paths, stepRecords(job)).map(({ pipe }) => join(paths.folder, pipe))
  const pipes = network?.kind === 'own' ? [...streams, join(paths.folder, upPipe)] : streams
  await Promise.all([...pipes.map((pipe) => own(pipe, 0o600)), own(paths.gate, 0o700)])
}

async function userOf(
  { docker }: DockerContext,
  name: string,
  step: Step,
  image: EngineImage,
): Promise<User> {
  const text = step.user ?? image.user
  if (/^(0|root)?$/.test(text)) return { uid: 0, gid: 0, groups: [], home: '/root' }
  const read = async (path: string): Promise<string | undefined> => {
    const out = await readOut(docker, name, { path, bytesMax: 1024 * 1024 })
    const file = out?.items.find(({ entry }) => entry.kind === 'file')
    return file && Buffer.from(file.bytes).toString()
  }
  return resolveUser(text, { passwd: await read('/etc/passwd'), group: await read('/etc/group') })
}

/** Whether the run may still be started. */
export async function mayStart(
  yard: DockerContext,
  run: string,
  fence: number,
): Promise<'start' | 'is-started' | 'gone'> {
  const paths = ticketOf(yard, run)
  const there = await inspect(yard.docker, run)
  if (there === undefined || (await readTicket(paths)) === undefined) return 'gone'
  if (hasEnded(there) || there.status === 'running') return 'is-started'
  const isComplete = await access(paths.ready).then(() => true, unlessAbsent)
  return isComplete && (await fenceOfTicket(paths)) === fence ? 'start' : 'gone'
}
