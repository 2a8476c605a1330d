/** What waits at its door becomes a run: it is given what comes with the order, and its place among the runs. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileIn } from '../../model/job.ts'
import type { RunOrder } from '../engine.ts'
import { dress, putFile, system } from '../tree.ts'
import { isBehind, type Waiting } from './ahead.ts'
import { contentOf, insideWorkspace } from './furnish.ts'
import type { Interior, LayingOut } from './interior.ts'
import { containerName, fenceFile, pathsIn, type RunPaths } from './run-folder.ts'
import { doorFile } from './shim.ts'
import { writeRun } from './write-run.ts'

/** Moves it in, as one that any shim could start as well. Problem: that of a folder which is taken. */
export function adopt(at: LayingOut, order: RunOrder, waiting: Waiting, { folder }: RunPaths): void {
  const { site, door, name } = waiting
  const { job } = order
  for (const file of job.files) if (isBehind(job, file)) bring(file, waiting, file.path === job.door?.path)
  rmSync(fenceFile(pathsIn(site.aside), 0))
  // The shim that waits may still read its own.
  rmSync(join(site.secret, 'shim.sh'))
  writeRun(
    { at, order, site: { ...site, name: order.name, final: folder }, names: [order.name, name], door },
    moved(waiting, order.name, folder),
  )
  renameSync(site.aside, folder)
}

function bring(file: FileIn, { site, interior }: Waiting, isDoor: boolean): void {
  const { root, user } = interior
  const { uid, gid } = file.owner === 'root' ? system : user
  const as = { uid, gid, mode: file.mode }
  const bytes = contentOf(file.content) ?? ''
  if (isDoor) {
    const place = join(site.aside, doorFile)
    writeFileSync(place, bytes, { mode: 0o600 })
    dress(place, as)
  } else {
    const top = join(site.aside, root.workspace?.host ?? '')
    putFile({ top, layers: [top] }, insideWorkspace(file.path, root), bytes, as)
  }
}

/** The same, as it lies in the folder of the run. */
function moved({ site, interior }: Waiting, name: string, folder: string): Interior {
  const mounts = interior.mounts.map((mount) => {
    const { from } = mount
    if (from.kind !== 'bind' || !from.path.startsWith(`${site.aside}/`)) return mount
    return { ...mount, from: { ...from, path: join(folder, from.path.slice(site.aside.length)) } }
  })
  const plans = interior.plans.map((plan, i) => ({ ...plan, id: containerName(name, i) }))
  return { ...interior, mounts, plans }
}
