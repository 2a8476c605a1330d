/** The Docker engine: runs images on any engine that speaks Docker's API on a socket of this host. */
import { access, constants, mkdir, readdir, stat } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { release } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { isObject } from '../../kit/json.ts'
import type { Job } from '../../model/job.ts'
import { fail, type Problem, toProblem } from '../../model/problem.ts'
import { statSmall, targetOf } from '../absent.ts'
import { findCutShort, removeCutShort } from '../cut-short.ts'
import type { Engine, EngineFacts, FoundRun, RunSight, RunStart, Ticket } from '../engine.ts'
import type { ImageCopier } from '../image-program.ts'
import { lend } from '../mounted-programs.ts'
import { findPrivates, leavePrivates, sweepPrivates, sweepStrays } from '../privates.ts'
import type { NetworkChoice } from '../run-network.ts'
import type { Supplies } from '../supplies.ts'
import { dockerAt, expectSuccess } from './client.ts'
import { inspect, labels, remove } from './container.ts'
import { type DockerContext, ticketOf } from './context.ts'
import { follow } from './follow.ts'
import { keepNetwork } from './keep-network.ts'
import { layOut, mayStart } from './lay-out.ts'
import { pumpLog } from './log-pump.ts'
import { type ContainerNetwork, networkOf, whyNotOwn } from './network.ts'
import { stopRun } from './stop.ts'
import { readTicket } from './ticket.ts'
import { destroy, emptyTrash, throwAway } from './trash.ts'

export interface DockerOptions {
  readonly socket: string
  /** For tickets; on a file system that the engine sees as we do. */
  readonly folder: string
  readonly copier: ImageCopier
  readonly supplies: Supplies
  readonly clock: Clock
  readonly network?: NetworkChoice
  /** Whether packages that ask for it get the engine's own socket. */
  readonly lendSocket?: boolean
}

/** Opens the engine; it need not be reachable yet. */
export async function openDockerEngine(options: DockerOptions): Promise<Engine> {
  const {
    socket,
    folder,
    copier,
    supplies,
    clock,
    network: networkChoice = 'auto',
    lendSocket = false,
  } = options
  const mayMount = process.geteuid?.() === 0
  // What others than root must read as others is read by containers only.
  for (const room of ['runs', 'aside', 'trash', 'lent'])
    await mkdir(join(folder, room), { recursive: true, mode: mayMount ? 0o711 : 0o700 })
  const docker = dockerAt(socket, clock)
  let network: ContainerNetwork | undefined
  const yard: DockerContext = {
    docker,
    folder,
    privates: await findPrivates(folder),
    copier,
    supplies,
    lent: await lend(join(folder, 'lent')),
    clock,
    pourers: new Map(),
    outward: new Map(),
    disks: new Map(),
    mayMount,
    socket,
    networkChoice,
    // Asked as often as it is not there: an engine shows its processes when it is up.
    network: async () => {
      if (network === undefined || network.kind === 'engine') {
        await docker.ask({ method: 'GET', path: '/version' })
        network = networkOf(networkChoice, socket)
      }
      return network
    },
  }
  await emptyTrash(yard)
  return {
    name: 'docker',
    facts: factsOf(yard),
    check: () => check(yard),
    refuses: (job) => refusal(job, yard, lendSocket),
    layOut: (order, watch) => layOut(yard, order, watch),
    start: (order) => start(yard, order),
    reached: () => gatewayOf(yard),
    look: (run) => look(yard, run),
    follow: (ticket, watch) => follow(yard, ticket, watch),
    async stop(run, graceSeconds) {
      const paths = ticketOf(yard, run)
      const record = await readTicket(paths)
      if (record) await stopRun({ yard, run, paths, record }, 'stopped', graceSeconds)
    },
    discard: (run) => discard(yard, run),
    list: (cluster) => list(yard, cluster),
    close: () => leavePrivates(yard.privates),
  }
}

function factsOf({ mayMount }: DockerContext): EngineFacts {
  return {
    programs: ['image'],
    run: 'container',
    severalSteps: false,
    outlives: true,
    streamsApart: true,
    readOnlyMounts: true,
    folderLimit: mayMount ? 'hard' : 'checked',
    networkNone: true,
    memoryLimit: true,
    processLimit: true,
    processorLimit: true,
    cluster: ['none'],
  }
}

function refusal(
  { program, steps, needs, files, folders, sandbox, lent = [] }: Job,
  { mayMount, networkChoice, socket }: DockerContext,
  lendSocket: boolean,
): Problem | undefined {
  const refuse = (detail: string): Problem => ({ code: 'engine.refused', detail })
  if (program.kind !== 'image')
    return refuse(`the Docker engine runs images, not programs of kind ${program.kind}`)
  if (steps.length > 1) return refuse('the Docker engine runs one step per run')
  if (needs.cluster !== 'none') return refuse('the Docker engine has no cluster')
  if (needs.engineSocket && !lendSocket) return refuse('the operator does not lend the socket of the engine')
  const loopback = lent.find(({ address }) => address.startsWith('127.'))
  const notOwn = networkChoice === 'host' || needs.network === 'none' ? undefined : whyNotOwn()
  if (notOwn !== undefined && networkChoice === 'own')
    return refuse(`no network of its own can be made: ${notOwn}`)
  if (notOwn !== undefined && loopback !== undefined)
    return refuse(`${loopback.address} of this host cannot be lent to containers: ${notOwn}`)
  if (sandbox !== undefined && networkChoice !== 'host' && isUsers(socket))
    return refuse('containers of an engine without root do not reach the stand-in of the Kubernetes API')
  if (!mayMount && needs.readOnlyRoot && folders.some(({ readOnly }) => !readOnly))
    return refuse('folders to write to below a read-only root need a broker that is root')
  const large = files.find(({ content, readOnly }) => content.kind === 'artifact' && !readOnly)
  return large && refuse(`${large.path}: large things are mounted read-only on this engine`)
}

/** Whether the engine is an ordinary user's: the gateway of its network is no address of this host. */
function isUsers(socket: string): boolean {
  const owner = statSmall(socket)?.uid ?? 0
  return owner !== 0
}

/** What Docker and Podman call the network of containers that name none. */
const usualNetworks = ['bridge', 'podman']

/** The host as containers see it: the gateway of the engine's network. Nothing where theirs is another, or the engine is away. */
async function gatewayOf({ docker, network }: DockerContext): Promise<string | undefined> {
  if ((await network()).kind !== 'engine') return undefined
  for (const name of usualNetworks) {
    const answer = await docker.ask({ method: 'GET', path: `/networks/${name}` }).catch(() => undefined)
    if (answer?.status !== 200 || !isObject(answer.body)) continue
    const { Config: subnets } = (answer.body['IPAM'] ?? {}) as { readonly Config?: unknown }
    const gateways = (Array.isArray(subnets) ? subnets : []).map((subnet) =>
      isObject(subnet) ? String(subnet['Gateway']) : '',
    )
    return gateways.find((address) => isIPv4(address))
  }
  return undefined
}

/** Without root, the first version of control groups is out of reach, whatever an engine says of single limits. */
function limitsNothing(info: { readonly [key: string]: unknown }): boolean {
  const security = info['SecurityOptions']
  return info['CgroupVersion'] === '1' && Array.isArray(security) && security.includes('name=rootless')
}

async function check({ docker, socket, mayMount, network }: DockerContext): Promise<readonly Problem[]> {
  try {
    const answer = await docker.ask({ method: 'GET', path: '/info' })
    expectSuccess(answer, 'ask about the engine')
    const info = isObject(answer.body) ? answer.body : {}
    const limits = { MemoryLimit: 'memory', PidsLimit: 'number of processes', CpuCfsQuota: 'processor time' }
    const missing = [
      ...Object.entries(limits)
        .filter(([key]) => info[key] === false || limitsNothing(info))
        .map(([, what]) => what),
      ...(mayMount ? [] : ['sizes of folders while a program runs, since the broker is not root']),
    ]
    const runs = await network()
    if (runs.kind === 'engine')
      missing.push(`a network of a run's own (other containers and this host are in reach): ${runs.why}`)
    const kernel = info['KernelVersion']
    const isElsewhere = typeof kernel === 'string' && kernel !== '' && kernel !== release()
    return [
      ...(runs.kind === 'host' ? [{ code: 'engine.network-shared' } as const] : []),
      ...(missing.length === 0 ? [] : [{ code: 'engine.not-enforced', detail: missing.join(', ') } as const]),
      ...(isElsewhere
        ? [{ code: 'engine.elsewhere', detail: `its kernel is ${kernel}, ours ${release()}` } as const]
        : []),
    ]
  } catch (error) {
    const problem = toProblem(error)
    const { detail = 'no answer' } = problem
    return [{ ...problem, detail: detail.includes(socket) ? detail : `${socket}: ${detail}` }]
  }
}

async function start(yard: DockerContext, { name, fence }: RunStart): Promise<Ticket> {
  const may = await mayStart(yard, name, fence)
  if (may === 'gone') return fail('engine.layout-gone', name)
  if (may === 'is-started') return name
  const record = await readTicket(ticketOf(yard, name))
  if (record === undefined) return fail('engine.layout-gone', name)
  await pumpLog(yard, name, record.steps)
  const answer = await yard.docker.ask({ method: 'POST', path: `/containers/${name}/start` })
  if (answer.status === 404) return fail('engine.layout-gone', name)
  if (answer.status >= 400) {
    // Started by another process at this moment, or already over, which some engines call an error.
    const there = await inspect(yard.docker, name)
    if (there === undefined) return fail('engine.layout-gone', name)
    if (there.status !== 'created' && there.status !== 'configured' && there.startedAt > 0) return name
    fail('engine.start-failed', answer.message)
  }
  const there = record.network && (await inspect(yard.docker, name))
  if (record.network && there) await keepNetwork(yard, name, { there, addresses: record.network })
  return name
}

async function look(yard: DockerContext, run: string): Promise<RunSight> {
  const record = await readTicket(ticketOf(yard, run))
  const there = await inspect(yard.docker, run)
  if (there !== undefined && there.labels[labels.cluster] === undefined) {
    return { kind: 'foreign', detail: `the container ${run} has no label of ours` }
  }
  if (there === undefined) return record === undefined ? { kind: 'absent' } : lookAtTicket(yard, run)
  if (there.status === 'created' || there.status === 'configured' || there.status === 'initialized') {
    return { kind: 'laid-out' }
  }
  return { kind: 'started', ticket: run }
}

/** A ticket whose container is gone: it was started when its gate was passed. */
async function lookAtTicket(yard: DockerContext, run: string): Promise<RunSight> {
  const passed = await stat(join(ticketOf(yard, run).gate, 'began')).catch(() => undefined)
  return passed === undefined ? { kind: 'laid-out' } : { kind: 'started', ticket: run }
}

/** The ticket goes first: from then on the container cannot start. */
async function discard(yard: DockerContext, run: string): Promise<void> {
  const there = await inspect(yard.docker, run)
  // What is not ours is not touched.
  if (there !== undefined && there.labels[labels.cluster] === undefined) return
  const gone = await throwAway(yard, run)
  yard.pourers.delete(run)
  yard.outward.delete(run)
  yard.disks.delete(run)
  if (there !== undefined) await remove(yard.docker, run)
  if (gone !== undefined) await destroy(gone)
  await removeCutShort(roomsOf(yard), run)
}

/** What a kill leaves there bears the names of runs. */
function roomsOf({ folder, privates }: DockerContext): readonly string[] {
  return [join(folder, 'aside'), privates]
}

async function list(yard: DockerContext, cluster: string): Promise<readonly FoundRun[]> {
  const filters = JSON.stringify({ label: [`${labels.cluster}=${cluster}`] })
  const answer = await yard.docker.ask({
    method: 'GET',
    path: '/containers/json',
    query: { all: '1', filters },
  })
  expectSuccess(answer, 'list the containers')
  const found = new Map<string, FoundRun>()
  for (const item of Array.isArray(answer.body) ? answer.body : []) {
    const one = foundOf(item, yard.clock)
    if (one) found.set(one.name, one)
  }
  const tickets = new Set(await readdir(join(yard.folder, 'runs')))
  for (const name of tickets) {
    const record = await readTicket(ticketOf(yard, name))
    if (record?.cluster !== cluster) continue
    found.set(name, { name, operation: record.operation, ageMs: yard.clock.now() - record.laidOutAt })
  }
  await emptyTrash(yard)
  await sweepPrivates(
    yard.privates,
    yard.clock,
    async (path, run) => (await targetOf(ticketOf(yard, run).private)) === path,
  )
  await sweepStrays(yard.clock)
  const rest = await findCutShort(roomsOf(yard), yard.clock)
  return [...found.values(), ...rest.filter(({ name }) => !tickets.has(name) && !found.has(name))]
}

function foundOf(item: unknown, clock: Clock): FoundRun | undefined {
  if (!isObject(item)) return undefined
  const [name] = Array.isArray(item['Names']) ? item['Names'].map(String) : []
  const own = isObject(item['Labels']) ? item['Labels'] : {}
  const created = Number(item['Created'] ?? 0) * 1000
  if (name === undefined) return undefined
  const operation = String(own[labels.operation] ?? '')
  return { name: name.replace(/^\//, ''), operation, ageMs: clock.now() - created }
}

/** The socket of an engine on this host, if there is one that we may use. */
export async function findSocket(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const named = /^unix:\/\/(.+)$/.exec(environment['DOCKER_HOST'] ?? '')?.[1]
  const own = environment['XDG_RUNTIME_DIR']
  const usual = [
    '/var/run/docker.sock',
    '/run/podman/podman.sock',
    ...(own ? [`${own}/podman/podman.sock`] : []),
  ]
  for (const path of named === undefined ? usual : [named]) {
    const stats = await stat(path).catch(() => undefined)
    const may = await access(path, constants.R_OK | constants.W_OK).then(
      () => true,
      () => false,
    )
    if (stats?.isSocket() && may) return path
  }
  return undefined
}
