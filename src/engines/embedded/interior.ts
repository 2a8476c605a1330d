/** What the program of a run finds inside: its root with everything the job brings, and the ground below. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageStore } from '../../artifacts/image-store.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Job, Needs } from '../../model/job.ts'
import { bytesBelow } from '../disk-use.ts'
import type { Watch } from '../engine.ts'
import { resolveInLayers } from '../layer-view.ts'
import { networkFiles } from '../run-network.ts'
import type { Supplies } from '../supplies.ts'
import { dress, system } from '../tree.ts'
import type { User } from '../user.ts'
import type { Host } from './host.ts'
import { withHostNames } from './host-names.ts'
import { type PlacedFiles, placeJobFiles } from './job-files.ts'
import { checkProgram, planSteps } from './plan-steps.ts'
import { type Root, rootOf, temporaryBytes } from './root.ts'
import { type ArtifactContext, openFolders } from './run-folder.ts'
import type { RunSkeleton } from './run-skeleton.ts'
import type { Mount, StepPlan } from './step-plan.ts'

export interface LayingOut {
  readonly rooms: ArtifactContext
  readonly host: Host
  readonly images: ImageStore
  readonly supplies: Supplies
  readonly clock: Clock
}

/** Where a layout is made: it is not seen before it is whole. */
export interface Site {
  readonly name: string
  /** The folder under construction, and where it will lie. */
  readonly aside: string
  readonly final: string
  /** Where its secrets lie, from the first. */
  readonly secret: string
}

export interface Interior {
  readonly root: Root
  readonly user: User
  readonly furniture: PlacedFiles
  readonly mounts: readonly Mount[]
  readonly plans: readonly StepPlan[]
  /** What its folders take of the disk before anything has run. */
  readonly broughtBytes: number
}

/** Makes it. Problems: engine.start-failed, engine.user-unknown, engine.refused, engine.tool-missing, those of the images. */
export async function makeInterior(
  at: LayingOut,
  given: Job,
  site: Site,
  watch: Pick<Watch, 'progress' | 'signal'>,
): Promise<Interior> {
  const job = withHostNames(given)
  const { aside, final, secret } = site
  for (const path of [aside, secret]) mkdirSync(path, { mode: 0o700 })
  symlinkSync(secret, join(aside, 'private'))
  const { images, supplies } = at
  const root = await rootOf(job, { images, supplies, rootless: at.host.rootless, aside, final, watch })
  const user = await root.userOf(job.steps[0].user)
  // Programs write beside the files they are given.
  if (root.own.kind === 'workspace')
    dress(join(aside, root.own.host), { uid: user.uid, gid: user.gid, mode: 0o755 })
  const { signal } = watch
  const furniture = await placeJobFiles(job, { root, user, aside, final, private: secret, supplies, signal })
  const names = namesOf(at.host, job.needs, { root, final })
  const mounts = mountsOf(job, root, { names, furniture })
  const plans = await planSteps(job, { root, rootless: at.host.rootless, name: site.name })
  checkProgram(plans[0], root, furniture)
  const broughtBytes = await bytesBelow(openFolders({ folder: aside }))
  return { root, user, furniture, mounts, plans, broughtBytes }
}

/** The folder of a ground, made where it is missing. */
export function writeSkeleton(ground: RunSkeleton, { rooms, host: { boot }, clock }: LayingOut): string {
  return ground.lay({ rooms, boot, clock })
}

function mountsOf(
  { needs, program }: Job,
  root: Root,
  { names, furniture }: { readonly names: readonly Mount[]; readonly furniture: PlacedFiles },
): readonly Mount[] {
  const mounts = [...root.mounts, ...names, ...furniture.mounts]
  const isTemporary = mounts.some(({ to }) => to === '/tmp')
  if ((needs.readOnlyRoot || program.kind === 'tools') && !isTemporary) {
    // A runtime may give the mount the mode of the folder below it, whatever is asked for.
    const to = root.ground.place('/tmp', 'folder', { ...system, mode: 0o1777 })
    mounts.unshift({ to, from: { kind: 'tmpfs', bytes: temporaryBytes, mode: 0o1777 }, readOnly: false })
  }
  for (const name of ['/proc', '/sys', '/dev']) root.ground.place(name, 'folder', system)
  return mounts
}

/** With a network come the host's ways to find names; one of its own has another server for them. */
function namesOf(
  { network }: Host,
  needs: Needs,
  { root: { ground }, final }: { readonly root: Root; readonly final: string },
): readonly Mount[] {
  if (needs.network === 'none') return []
  const mounts: Mount[] = []
  for (const to of ['/etc/resolv.conf', '/etc/hosts']) {
    const own =
      network.kind === 'own' && to === '/etc/resolv.conf' ? join(final, networkFiles.names) : undefined
    if (own === undefined && resolveInLayers(['/'], to).there?.stats.isFile() !== true) continue
    const place = ground.place(to, 'file', system)
    mounts.push({ to: place, from: { kind: 'bind', path: own ?? to }, readOnly: true })
  }
  return mounts
}
