/** Puts the files of a job into its pod: fixed ones and folders through the sidecar, what the program may change beside it. */
import { createReadStream } from 'node:fs'
import { lstat, mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tarEnd, tarHeader, tarPadding } from '../../artifacts/archive/tar-writer.ts'
import type { FileIn, Job } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import type { ContainerFilePlan } from '../container-plan.ts'
import { contentOf, entryOf, ownerOf, packed, packedFolder, packedParent } from '../packed.ts'
import type { Owner } from '../tree.ts'
import type { KubernetesContext } from './context.ts'
import { runInside } from './inside.ts'
import { containers } from './pod.ts'
import { volumeOf } from './pod-body.ts'

/** A part of what is put in: bytes, or a file of this host. */
type Part = Uint8Array | { readonly file: string; readonly bytes: number }

export interface Putting {
  readonly pod: string
  readonly job: Job
  readonly plan: ContainerFilePlan
  readonly owner: Owner
  readonly signal: AbortSignal
}

const staged = 'fixed/.staged'

/** Fills folders and fixed files, which are mounted already and empty. */
export async function putFixed(
  context: KubernetesContext,
  { pod, plan, owner, signal }: Putting,
): Promise<void> {
  if (plan.rooms.length + plan.kept.length === 0) return
  const scratch = await mkdtemp(join(tmpdir(), 'chandler-put-'))
  try {
    const parts: Part[] = []
    const place = (host: string): string => `${volumeOf(host, plan)}/${host}`
    for (const { host, folder } of plan.rooms)
      parts.push(...packedFolder({ ...folder, path: `/${place(host)}` }, owner))
    for (const { host, path, file } of plan.inRooms) {
      const at = `/${place(host)}${path}`
      parts.push(...parentsBelow(path).map((parent) => packedParent(`${place(host)}${parent}`, owner)))
      parts.push(...packed({ ...file, path: at }, owner))
    }
    const settle: string[] = []
    for (const { host, file } of plan.kept) {
      const { uid, gid } = ownerOf(file, owner)
      const dress = `chown ${uid}:${gid} ${place(host)} && chmod ${file.mode.toString(8)} ${place(host)}`
      const { content } = file
      if (content.kind === 'artifact' || content.kind === 'entry') {
        const from = join(scratch, host)
        await context.options.supplies.deliver(content, from, signal)
        const isFolder = content.kind === 'artifact' && content.as === 'folder'
        parts.push(
          ...(await packedFromHost(from, isFolder ? place(host) : `${staged}/${host}`, { uid, gid })),
        )
        if (isFolder) continue
      } else parts.push(...stagedFile(file, host))
      // Written in place: what is mounted is this very file.
      settle.push(`cat ${staged}/${host} >${place(host)} && ${dress}`)
    }
    const script = ['cd /rooms', ...settle, `rm -rf ${staged}`].join(' && ')
    await put(context, { pod, container: containers.sidecar, into: '/rooms', script, parts, signal })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function stagedFile(file: FileIn, host: string): readonly Uint8Array[] {
  const bytes = contentOf(file)
  const entry = entryOf('file', `${staged}/${host}`, { uid: 0, gid: 0, mode: 0o600 })
  return [tarHeader({ ...entry, bytes: bytes.length }), bytes, tarPadding(bytes.length)]
}

/** `/a/b/c` has `/a` and `/a/b` above it. */
export function parentsBelow(path: string): readonly string[] {
  const names = path.split('/').slice(1, -1)
  return names.map((_, i) => `/${names.slice(0, i + 1).join('/')}`)
}

/** Puts what the program may change into its root, and the scripts of its steps beside it. */
export async function putInRoot(
  context: KubernetesContext,
  { pod, plan, owner, signal }: Putting,
  more: { readonly absent: readonly string[]; readonly scripts: Readonly<Record<string, string>> },
): Promise<void> {
  const parts: Part[] = more.absent.map((path) => packedParent(latin(path.slice(1)), owner))
  for (const file of plan.uploads) parts.push(...packed(file, owner))
  for (const [name, text] of Object.entries(more.scripts)) {
    const bytes = Buffer.from(text)
    const entry = entryOf('file', `.chandler/${name}`, { uid: 0, gid: 0, mode: 0o600 })
    parts.push(tarHeader({ ...entry, bytes: bytes.length }), bytes, tarPadding(bytes.length))
  }
  await put(context, { pod, container: containers.program, into: '/', script: ':', parts, signal })
}

interface Put {
  readonly pod: string
  readonly container: 'program' | 'sidecar'
  readonly into: string
  readonly script: string
  readonly parts: readonly Part[]
  readonly signal: AbortSignal
}

async function put(
  context: KubernetesContext,
  { pod, container, into, script, parts, signal }: Put,
): Promise<void> {
  const all = [...parts, tarEnd()]
  const bytes = all.reduce((sum, part) => sum + (part instanceof Uint8Array ? part.length : part.bytes), 0)
  const { exit, stderr } = await runInside(context, {
    pod,
    container,
    // Its input has no end of its own.
    script: `head -c ${bytes} | tar -xpf - -C ${into} && ${script}`,
    stdin: piecesOf(all),
    signal,
  })
  if (exit !== 0) fail('engine.start-failed', `put files into the pod: ${stderr.trim() || `status ${exit}`}`)
}

async function* piecesOf(parts: readonly Part[]): AsyncGenerator<Uint8Array> {
  const small = parts.filter((part) => part instanceof Uint8Array)
  if (small.length === parts.length) {
    yield Buffer.concat(small)
    return
  }
  for (const part of parts) {
    if (part instanceof Uint8Array) yield part
    else yield* createReadStream(part.file) as AsyncIterable<Uint8Array>
  }
}

async function packedFromHost(from: string, path: string, owner: Owner): Promise<readonly Part[]> {
  const stats = await lstat(from)
  const dress = { uid: owner.uid, gid: owner.gid, mode: stats.mode & 0o777 }
  const name = latin(path)
  if (stats.isSymbolicLink())
    return [tarHeader({ ...entryOf('link', name, dress), target: latin(await readlink(from)) })]
  if (!stats.isDirectory())
    return [
      tarHeader({ ...entryOf('file', name, dress), bytes: stats.size }),
      { file: from, bytes: stats.size },
      tarPadding(stats.size),
    ]
  const parts: Part[] = [tarHeader(entryOf('folder', name, dress))]
  for (const child of await readdir(from))
    parts.push(...(await packedFromHost(join(from, child), `${path}/${child}`, owner)))
  return parts
}

/** Names in tars are byte strings. */
function latin(text: string): string {
  return Buffer.from(text).toString('latin1')
}
