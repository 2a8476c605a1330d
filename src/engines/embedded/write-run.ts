/** Writes down all that is needed to start a run, now or by a successor: its record, its steps, the script of its shim. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from '../../kit/codec.ts'
import { sha256 } from '../../kit/hash.ts'
import type { Address, Job } from '../../model/job.ts'
import type { RunOrder } from '../engine.ts'
import { networkTexts } from '../run-network.ts'
import { commandLine } from '../shell.ts'
import { filesOf, stepRecords } from '../step-files.ts'
import { groupLines } from './enter-group.ts'
import type { Host } from './host.ts'
import { type Interior, type LayingOut, type Site, writeSkeleton } from './interior.ts'
import type { PlacedFiles } from './job-files.ts'
import { shimNetworkFiles } from './network.ts'
import { ociConfig } from './oci-config.ts'
import { plainCommand, plainScript } from './plain-step.ts'
import type { Root } from './root.ts'
import { fenceFile, pathsIn, type RunRecord } from './run-folder.ts'
import { placesFolder } from './run-skeleton.ts'
import { bringsItsOwn, hiddenFrom, runtimeCommand } from './runtimes.ts'
import { type ShimPlan, type ShimStep, type StartGate, shimScript } from './shim.ts'
import type { Chamber, Mount, StepNetwork } from './step-plan.ts'

export interface Writing {
  readonly at: LayingOut
  readonly order: RunOrder
  readonly site: Site
  /** What its containers may be called after. */
  readonly names: readonly string[]
  readonly door?: StartGate | undefined
  /** What the shim does; to start the run unless said. */
  readonly script?: (plan: ShimPlan) => string
}

/** What tells whether two orders of one name are for the same job. */
export function specOf(job: Job): string {
  return sha256(encode(job))
}

/** What must be lent to the network of a run; one that has the host's finds it there. */
export function addressesFor({ needs, lent = [] }: Job, { network }: Host): readonly Address[] {
  return network.kind === 'own' && needs.network !== 'none' ? lent : []
}

/** Writes it into the layout under construction. */
export function writeRun(writing: Writing, interior: Interior): void {
  const { at, order, site, door, script = shimScript } = writing
  const { job } = order
  const { root, mounts, furniture } = interior
  const { aside, final, secret } = site
  const ground = writeSkeleton(root.ground, at)
  const { own } = root
  const isPlain = own.kind === 'workspace'
  const inside = isPlain ? join(ground, placesFolder) : pathsIn(final).merged
  const record = recordOf(writing, interior, ground)
  writeFileSync(fenceFile(pathsIn(aside), order.fence), '')
  writeFileSync(pathsIn(aside).record, JSON.stringify(record), { mode: 0o600 })
  // What the shim has against its start; made here, for while the disk is busy with the start a new file takes long.
  writeFileSync(join(aside, 'shim.err'), '', { mode: 0o600 })
  const steps = writeSteps(writing, chamberOf(writing, mounts, inside), interior)
  const hasNetwork = job.needs.network !== 'none' && at.host.network.kind === 'own'
  if (hasNetwork) for (const [name, text] of networkTexts(job)) writeFileSync(join(aside, name), text)
  const link = join(aside, 'ground')
  if (!isPlain && !existsSync(link)) symlinkSync(ground, link)
  const text = script({
    paths: pathsIn(final),
    layers: isPlain ? [] : overlayLayers(own.below, job),
    writable: !job.needs.readOnlyRoot,
    rootless: at.host.rootless,
    hidden: hiddenFrom(at.host),
    sized: furniture.sized,
    network: hasNetwork ? { lends: record.lent.length > 0 } : undefined,
    steps,
    stays: record.stays,
    door,
  })
  writeFileSync(join(secret, 'shim.sh'), text, { mode: 0o600 })
}

/** Without a layer to write to, ours is one more to read from. */
function overlayLayers(images: readonly string[], { needs }: Job): readonly string[] {
  const below = [placesFolder, ...images.map((_, i) => String(i))].map((name) => `ground/${name}`)
  return needs.readOnlyRoot ? ['up', ...below] : below
}

function chamberOf({ at, order, site }: Writing, mounts: readonly Mount[], root: string): Chamber {
  const { needs, limits, program } = order.job
  return {
    root,
    readOnlyRoot: needs.readOnlyRoot || program.kind === 'tools',
    mounts,
    network: networkOf(order.job, at.host, site.final),
    hostname: order.name.slice(0, 63),
    memoryBytes: limits.memoryBytes,
    processes: limits.processes,
    cpus: limits.cpus,
    diskBytes: limits.diskBytes,
  }
}

function networkOf({ needs }: Job, { network }: Host, folder: string): StepNetwork {
  if (needs.network === 'none') return { kind: 'none' }
  return network.kind === 'own'
    ? { kind: 'own', space: join(folder, shimNetworkFiles.space) }
    : { kind: 'host' }
}

/** Whether a path lies in what only the shim sees: a root of layers, or a limited folder. */
function isInMounts(path: string, root: Root, { places, sized }: PlacedFiles): boolean {
  const place = places.findLast(({ path: above }) => path === above || path.startsWith(`${above}/`))
  return place === undefined ? root.own.kind === 'layer' : sized.some(({ folder }) => folder === place.host)
}

function recordOf(
  { at, order, names }: Writing,
  { root, furniture, broughtBytes }: Interior,
  ground: string,
): RunRecord {
  const { cluster, operation, job } = order
  const { places } = furniture
  const { base } = root
  return {
    cluster,
    operation,
    names,
    spec: specOf(job),
    boot: at.host.boot,
    laidOutAt: at.clock.now(),
    runtime: at.host.runtime,
    steps: stepRecords(job),
    wants: job.wants,
    limits: job.limits,
    places,
    base,
    broughtBytes,
    lent: addressesFor(job, at.host),
    stays: job.wants.some(
      (want) =>
        'path' in want &&
        isInMounts(want.path.startsWith('/') ? want.path : join(base, want.path), root, furniture),
    ),
    ground,
  }
}

function writeSteps(
  { at: { host }, order, site: { final, secret } }: Writing,
  chamber: Chamber,
  { plans }: Interior,
): readonly ShimStep[] {
  // Seen from the folder of the run, where the shim stands: what waits is moved while its streams are open.
  const files = filesOf({ folder: '', private: 'private' }, stepRecords(order.job))
  const state = join(secret, 'state')
  const { runtime } = host
  return plans.map((plan, i): ShimStep => {
    const { name, streams, mayFail = false } = order.job.steps[i] ?? order.job.steps[0]
    const own = {
      files: files[i] ?? { step: name, logs: [] },
      joined: streams.kind === 'merged',
      mayFail,
    }
    if (runtime.kind === 'plain') {
      const script = join(secret, `${plan.id}.sh`)
      writeFileSync(script, plainScript(chamber, plan, host), { mode: 0o600 })
      return { ...own, command: plainCommand(chamber, script, host), cleanUp: undefined }
    }
    const bundle = join(secret, plan.id)
    mkdirSync(bundle, { mode: 0o700 })
    const config = JSON.stringify(ociConfig(chamber, plan, host))
    writeFileSync(join(bundle, 'config.json'), config, { mode: 0o600 })
    const log = join(final, `runtime.${i}`)
    return {
      ...own,
      command: runtimeCommand(
        runtime,
        { state, log, bundle },
        { id: plan.id, groups: bringsItsOwn(runtime) ? [] : groupLines(chamber, plan, host.controls) },
      ),
      cleanUp: commandLine([runtime.program, '--root', state, 'kill', plan.id, 'KILL']),
    }
  })
}
