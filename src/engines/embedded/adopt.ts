/** What waits at its door becomes a run: it is given what comes with the order, and its place among the runs. */
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { FileIn, Job } from '../../model/job.ts'
import type { RunOrder } from '../engine.ts'
import { dress, putFile, system } from '../tree.ts'
import { isLate, type Waiting } from './begin-ahead.ts'
import type { Interior, LayingOut } from './interior.ts'
import { contentOf, fixedFile, insideWorkspace } from './job-files.ts'
import { fenceFile, pathsIn, type RunPaths } from './run-folder.ts'
import { doorFile, wordsFile } from './shim.ts'
import type { StepPlan } from './step-plan.ts'
import { wordsOf } from './waiting-shim.ts'
import { writeRun } from './write-run.ts'

/** Moves it in with its steps as ordered, as one that any shim could start as well. Problem: that of a folder which is taken. */
export function adopt(
  at: LayingOut,
  order: RunOrder,
  waiting: Waiting,
  { paths: { folder }, plans }: { readonly paths: RunPaths; readonly plans: readonly StepPlan[] },
): void {
  const { site, door, name } = waiting
  const { job } = order
  for (const [i, file] of job.files.entries()) if (isLate(job, file)) bring(file, i, { job, waiting })
  rmSync(fenceFile(pathsIn(site.aside), 0))
  for (const plan of door.kind === 'word' ? plans : [])
    writeFileSync(join(site.secret, basename(wordsFile)), wordsOf(plan), { mode: 0o600 })
  // The shim that waits may still read its own.
  rmSync(join(site.secret, 'shim.sh'))
  writeRun(
    { at, order, site: { ...site, name: order.name, final: folder }, names: [order.name, name], door },
    { ...moved(waiting, folder), plans },
  )
  renameSync(site.aside, folder)
}

function bring(
  file: FileIn,
  i: number,
  { job, waiting: { site, interior } }: { readonly job: Job; readonly waiting: Waiting },
): void {
  const { root, user } = interior
  const { uid, gid } = file.owner === 'root' ? system : user
  const as = { uid, gid, mode: file.mode }
  const bytes = contentOf(file.content) ?? ''
  if (file.path === job.late?.door) {
    const place = join(site.aside, doorFile)
    writeFileSync(place, bytes, { mode: 0o600 })
    dress(place, as)
  } else if (root.own.kind === 'layer') fill(fixedFile(site.secret, i), bytes, file.mode)
  else {
    const top = join(site.aside, root.own.host)
    putFile({ top, layers: [top] }, insideWorkspace(file.path, root), bytes, as)
  }
}

/** It is mounted already, so it stays the same file. */
function fill(place: string, bytes: Uint8Array | string, mode: number): void {
  chmodSync(place, mode | 0o200)
  writeFileSync(place, bytes)
  chmodSync(place, mode)
}

/** The same, as it lies in the folder of the run. */
function moved({ site, interior }: Waiting, folder: string): Interior {
  const mounts = interior.mounts.map((mount) => {
    const { from } = mount
    if (from.kind !== 'bind' || !from.path.startsWith(`${site.aside}/`)) return mount
    return { ...mount, from: { ...from, path: join(folder, from.path.slice(site.aside.length)) } }
  })
  return { ...interior, mounts }
}
