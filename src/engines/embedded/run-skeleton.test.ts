import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock as clock } from '../../kit/clock.ts'
import type { ArtifactContext } from './run-folder.ts'
import { placesFolder, planSkeleton, type RunSkeleton, sweepSkeletons } from './run-skeleton.ts'
import { openTrash } from './trash.ts'

let folder: string
let rooms: ArtifactContext
let layer: string
const owner = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'embedded-ground-'))
  const room = (name: string): string => {
    mkdirSync(join(folder, name))
    return join(folder, name)
  }
  rooms = {
    folder,
    runs: room('runs'),
    grounds: room('grounds'),
    aside: room('aside'),
    trash: room('trash'),
    privates: room('privates'),
    lent: room('lent'),
  }
  layer = room('layer')
  mkdirSync(join(layer, 'etc'), { mode: 0o700 })
  writeFileSync(join(layer, 'etc/hosts'), 'of the image')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function plan(...places: readonly string[]): RunSkeleton {
  const ground = planSkeleton([layer], [layer])
  for (const path of places) ground.place(path, path.endsWith('.json') ? 'file' : 'folder', owner)
  return ground
}

const lay = (ground: RunSkeleton, boot = 'one'): string => ground.lay({ rooms, boot, clock })

test('what the image has is left to it; the rest is made, with folders that look as they did below', () => {
  const ground = plan('/etc/hosts.json', '/tweed/home')
  expect(ground.place('/etc/hosts', 'file', owner)).toBe('/etc/hosts')

  const made = lay(ground)
  const places = join(made, placesFolder)
  expect(readdirSync(places).sort()).toEqual(['etc', 'tweed'])
  expect(readdirSync(join(places, 'etc'))).toEqual(['hosts.json'])
  expect(lstatSync(join(places, 'etc')).mode & 0o777).toBe(0o700)
  expect(readlinkSync(join(made, '0'))).toBe(layer)
})

test('a mode that is asked for shows, whatever the image has', () => {
  const ground = planSkeleton([layer], [layer])
  ground.place('/etc', 'folder', { ...owner, mode: 0o1777 })
  expect(lstatSync(join(lay(ground), placesFolder, 'etc')).mode & 0o7777).toBe(0o1777)
})

test('runs of one shape share a ground; another shape, another layer and another boot have their own', () => {
  const first = lay(plan('/tweed/home'))
  expect(lay(plan('/tweed/home'))).toBe(first)
  const others = [lay(plan('/tweed/other')), lay(plan('/tweed/home'), 'two'), lay(planSkeleton([], []))]
  expect(new Set([first, ...others]).size).toBe(4)
  expect(readdirSync(rooms.aside)).toEqual([])
})

test('a ground that was taken away is made again by whoever needs it', () => {
  const ground = plan('/tweed/home')
  const made = lay(ground)
  rmSync(made, { recursive: true })
  expect(lay(ground)).toBe(made)
  expect(existsSync(join(made, placesFolder, 'tweed/home'))).toBe(true)
})

test('grounds that nothing has stood on for a day go; those of runs that are there stay', async () => {
  const trash = await openTrash(rooms.trash, clock)
  const [old, used, young] = [lay(plan('/old')), lay(plan('/used')), lay(plan('/young'))]
  const longAgo = (clock.now() - 25 * 3_600_000) / 1000
  for (const path of [old, used]) utimesSync(path, longAgo, longAgo)

  await sweepSkeletons({ rooms, trash, clock }, () => Promise.resolve(new Set([used])))
  expect([old, used, young].map((path) => existsSync(path))).toEqual([false, true, true])
  await trash.close()
})

test('who needs an old ground again keeps it from going', async () => {
  const trash = await openTrash(rooms.trash, clock)
  const ground = plan('/tweed/home')
  const made = lay(ground)
  const longAgo = (clock.now() - 25 * 3_600_000) / 1000
  utimesSync(made, longAgo, longAgo)
  lay(ground)

  await sweepSkeletons({ rooms, trash, clock }, () => Promise.resolve(new Set()))
  expect(existsSync(made)).toBe(true)
  await trash.close()
})
