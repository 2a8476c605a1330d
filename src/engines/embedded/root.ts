/** The root file system of a run: an image's layers with our layer on top, or the host's programs around a workspace. */
import { accessSync, constants, lstatSync, mkdirSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageStore } from '../../artifacts/image-store.ts'
import { present } from '../../kit/present.ts'
import type { Job, Program, Tool } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import type { Watch } from '../engine.ts'
import { readInLayers } from '../layer-view.ts'
import type { Supplies } from '../supplies.ts'
import { makeFolderIn, system, type Tree } from '../tree.ts'
import { resolveUser, type User } from '../user.ts'
import { usualPath } from '../usual-path.ts'
import { planSkeleton, type RunSkeleton } from './run-skeleton.ts'
import type { Mount } from './step-plan.ts'

/** What the program of a job comes to. */
export interface Root {
  /** What can be mounted over; shared with other runs. */
  readonly ground: RunSkeleton
  readonly own: Own
  readonly mounts: readonly Mount[]
  readonly environment: readonly string[]
  readonly entrypoint: readonly string[]
  readonly workingFolder: string
  userOf(text: string | undefined): Promise<User>
  /** Where paths of the job that are not absolute begin. */
  readonly base: string
}

/** What is the run's own, to write to. */
export type Own =
  /** The topmost layer of its root, and the layers of the image below, topmost first. */
  | { readonly kind: 'layer'; readonly tree: Tree; readonly below: readonly string[] }
  /** A folder alone: its path inside, and where it lies in the layout. The root is the skeleton itself. */
  | { readonly kind: 'workspace'; readonly path: string; readonly host: string }

export interface RootMaking {
  readonly images: ImageStore
  readonly supplies: Supplies
  /** Not as root: there is one user inside, whom the kernel shows as root there. */
  readonly rootless: boolean
  /** The layout under construction, and where it will lie. */
  readonly aside: string
  readonly final: string
  readonly watch: Pick<Watch, 'progress' | 'signal'>
}

/** Makes the root of an image's run. Problems: those of the image store. */
export async function imageRoot(
  program: Extract<Program, { kind: 'image' }>,
  { images, aside, watch }: RootMaking,
): Promise<Root> {
  const { reference, digest, platform } = program
  const image = await images.unpack({
    reference,
    digest,
    ...present({ platform }),
    signal: watch.signal,
    progress: (text) => watch.progress(text),
  })
  const layers = image.layers.toReversed()
  const top = join(aside, 'up')
  for (const name of ['up', 'work', 'merged']) mkdirSync(join(aside, name), { mode: 0o755 })
  const tree: Tree = { top, layers: [top, ...layers] }
  // The top of all layers is what is seen as the root: it looks as the image has it.
  makeFolderIn(tree, '/', system)
  const ground = planSkeleton(layers, tree.layers)
  const { config } = image
  for (const path of config.volumes) ground.place(join('/', path), 'folder', system)
  return {
    ground,
    own: { kind: 'layer', tree, below: layers },
    mounts: [],
    environment: config.environment,
    entrypoint: config.entrypoint,
    workingFolder: config.workingFolder || '/',
    base: '/',
    userOf: async (text) => {
      const wanted = text ?? config.user
      const [passwd, group] = await Promise.all(
        ['/etc/passwd', '/etc/group'].map((path) => readInLayers(tree.layers, path)),
      )
      return resolveUser(wanted, { passwd, group })
    },
  }
}

/** The folders of the host that programs need to run, none of which holds anything of the broker. */
const hostFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'] as const
const hostSettings = [
  ...['/etc/ssl', '/etc/pki', '/etc/ca-certificates', '/etc/alternatives', '/etc/ld.so.cache'],
  ...['/etc/nsswitch.conf', '/etc/passwd', '/etc/group', '/etc/localtime', '/etc/services'],
] as const

const workspace = '/workspace'
const toolsFolder = '/tools'
const nobody: User = { uid: 65534, gid: 65534, groups: [], home: workspace }
/** Outside, that user is the broker's, which owns nothing but its own files. */
const onlyOne: User = { uid: 0, gid: 0, groups: [], home: workspace }

/** Makes the root of a run of tools: the host's programs to read, a workspace to write. Problems: engine.tool-missing. */
export async function toolsRoot(
  { tools }: Extract<Program, { kind: 'tools' }>,
  making: RootMaking,
): Promise<Root> {
  const { aside, final } = making
  const ground = planSkeleton([], [])
  const mounts: Mount[] = []
  const bind = (to: string, from: string, kind: 'file' | 'folder'): void => {
    ground.place(to, kind, system)
    mounts.push({ to, from: { kind: 'bind', path: from }, readOnly: true })
  }
  for (const path of [...hostFolders, ...hostSettings]) showHost(path, bind, ground)
  for (const tool of tools) bind(`${toolsFolder}/${tool.name}`, await toolPath(tool, making), 'file')
  const host = 'workspace'
  mkdirSync(join(aside, host), { mode: 0o755 })
  ground.place(workspace, 'folder', system)
  // All else is for reading only.
  mounts.push({ to: workspace, from: { kind: 'bind', path: join(final, host) }, readOnly: false })
  const [first] = tools
  return {
    ground,
    own: { kind: 'workspace', path: workspace, host },
    mounts,
    environment: [`PATH=${toolsFolder}:${usualPath}`],
    entrypoint: first === undefined ? [] : [first.name],
    workingFolder: workspace,
    base: workspace,
    userOf: (text) => {
      const usual = making.rootless ? onlyOne : nobody
      return Promise.resolve(text === undefined ? usual : resolveUser(text, noLists))
    },
  }
}

const noLists = { passwd: undefined, group: undefined }

/** What a program finds as /tmp where the root is read-only. */
export const temporaryBytes = 64 * 1024 * 1024

function showHost(
  path: string,
  bind: (to: string, from: string, kind: 'file' | 'folder') => void,
  ground: RunSkeleton,
): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return
  // Links such as /bin -> usr/bin lead to what is shown as well.
  if (stats.isSymbolicLink()) ground.link(path, readlinkSync(path))
  else bind(path, path, stats.isDirectory() ? 'folder' : 'file')
}

async function toolPath(
  { name, from }: Tool,
  { supplies, aside, final, watch }: RootMaking,
): Promise<string> {
  if (from.kind === 'host') return findOnHost(name) ?? fail('engine.tool-missing', name)
  const place = join('tools', name)
  mkdirSync(join(aside, 'tools'), { recursive: true })
  await supplies.deliver({ ...from, kind: 'entry', shared: true }, join(aside, place), watch.signal)
  return join(final, place)
}

function findOnHost(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(':')) {
    const path = join(folder, name)
    if (folder === '' || name.includes('/')) continue
    try {
      accessSync(path, constants.X_OK)
      return realpathSync(path)
    } catch {
      // Not in this one.
    }
  }
  return undefined
}

/** The root of a job. Problems: engine.refused for programs of other engines. */
export function rootOf({ program }: Job, making: RootMaking): Promise<Root> {
  switch (program.kind) {
    case 'image':
      return imageRoot(program, making)
    case 'tools':
      return toolsRoot(program, making)
    default:
      return fail('engine.refused', `the embedded engine cannot run a program of kind ${program.kind}`)
  }
}
