/** What pak commands need of the house: paks built from folders, looked into, and settings moved over. */
import {
  chmodSync,
  cpSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { archiveFormat, openArchive } from '../artifacts/archive/archive-artifact.ts'
import { packZip } from '../artifacts/archive/pack-zip.ts'
import {
  type ArtifactStore,
  type OpenArchive,
  openArtifactStore,
  usualArchiveLimits,
} from '../artifacts/index.ts'
import {
  brokerpak,
  type Moved,
  manualOf,
  moveEnvironment,
  type PakNotes,
  type ProgramSource,
  packingOf,
  pakNotes,
} from '../contracts/brokerpak/index.ts'
import { registriesOfCommand } from '../host/registries.ts'
import { systemChance } from '../kit/clock.ts'
import { digestOfPieces } from '../kit/hash.ts'
import type { JsonObject } from '../kit/json.ts'
import type { ArchiveEntry } from '../model/artifact.ts'
import type { Package } from '../model/package.ts'
import { fail, failAll, type Problem } from '../model/problem.ts'

export interface PakRead {
  readonly package: Package
  readonly notes: PakNotes
  readonly warnings: readonly Problem[]
  readonly entries: readonly ArchiveEntry[]
  readonly digest: string
}

/** Reads a pak or a source folder. Problems: all that is wrong with it at once. */
export async function readPak(reference: string, options: JsonObject): Promise<PakRead> {
  return await withStore(async (store) => {
    const archive = await openPak(store, reference)
    try {
      return await readOpened(archive, options)
    } finally {
      await archive.close()
    }
  })
}

async function openPak(store: ArtifactStore, reference: string): Promise<OpenArchive> {
  const path = /^https?:/.test(reference) ? reference : resolve(reference)
  const opened = await store.open(path, new AbortController().signal)
  if (opened.kind === 'archive' && 'close' in opened) return opened
  return fail('archive.invalid', 'a pak is a zip or a folder', { where: { source: reference } })
}

async function readOpened(archive: OpenArchive, options: JsonObject): Promise<PakRead> {
  const platform = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`
  const reading = await brokerpak.read(archive, { options, platform })
  if (reading.kind === 'refused') failAll(reading.problems)
  if (reading.kind !== 'package') return fail('package.invalid', archive.reference)
  const { package: pkg, warnings } = reading
  return { package: pkg, notes: pakNotes(pkg), warnings, entries: archive.entries, digest: archive.digest }
}

/** What users of its services must know, as Markdown. */
export async function pakManual(reference: string): Promise<string> {
  const { notes } = await readPak(reference, { engine: 'host' })
  return manualOf(notes.definitions)
}

export interface PakBuild {
  readonly folder: string
  /** Where the pak goes; the current folder. */
  readonly to: string
  /** `os/arch`; absent: all platforms of the manifest. */
  readonly target?: string
  /** Store files instead of deflating them. */
  readonly stored: boolean
  readonly progress: (text: string) => void
}

export interface PakBuilt {
  readonly file: string
  readonly digest: string
  readonly warnings: readonly Problem[]
}

const lockFile = 'manifest.lock'

/** Builds a pak; the same folder always makes the same bytes. Problems: pak.*, archive.*, registry.*, file.unwritable. */
export async function buildPak(build: PakBuild): Promise<PakBuilt> {
  const folder = resolve(build.folder)
  const scratch = mkdtempSync(join(tmpdir(), 'pak-build-'))
  try {
    return await withStore(async (store) => {
      const source = await openPak(store, folder)
      const { notes } = await readOpened(source, { engine: 'host' })
      const packing = await packingOf(source, notes, targetOf(build.target))
      await source.close()
      const root = join(scratch, 'pak')
      for (const { path, text } of packing.documents) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), text)
      }
      await fetchPrograms(packing.programs, { store, folder, root, scratch, progress: build.progress })
      const file = join(resolve(build.to), `${packing.name}-${packing.version}.brokerpak`)
      const bytes = packZip(root, { limits: usualArchiveLimits, stored: build.stored })
      await pipeline(bytes, createWriteStream(`${file}.new`))
      renameSync(`${file}.new`, file)
      const { warnings, digest } = await readPak(file, build.target === undefined ? {} : { engine: 'host' })
      return { file, digest, warnings }
    })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function targetOf(target: string | undefined) {
  if (target === undefined) return undefined
  const [os = '', arch = ''] = target.split('/')
  return os === '' || arch === '' ? fail('usage.invalid', `${target} is not os/arch`) : [{ os, arch }]
}

interface Fetching {
  readonly store: ArtifactStore
  readonly folder: string
  readonly root: string
  readonly scratch: string
  readonly progress: (text: string) => void
}

/** Each source is fetched once and must be what it was at the first build. */
async function fetchPrograms(programs: readonly ProgramSource[], at: Fetching): Promise<void> {
  const lock = readLock(at.folder)
  const { progress } = at
  const fetched = new Map<string, string>()
  for (const program of programs) {
    const { from, name, into } = program
    const path =
      fetched.get(from) ?? (await fetchOne(from, join(at.scratch, `f${fetched.size}`, basename(from)), at))
    fetched.set(from, path)
    const digest = await digestOfPieces(createReadStream(path))
    if (lock[from] !== undefined && lock[from] !== digest)
      fail('pak.source.changed', `${name} is ${digest}, and was ${lock[from]}`, { where: { source: from } })
    lock[from] = digest
    progress(`${name}: ${from} into ${into}`)
    await place(path, join(at.root, into), at.scratch)
  }
  const sorted = Object.fromEntries(Object.entries(lock).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(join(at.folder, lockFile), `${JSON.stringify({ checksums: sorted }, null, 2)}\n`)
}

function readLock(folder: string): Record<string, string> {
  const file = join(folder, lockFile)
  if (!existsSync(file)) return {}
  const { checksums } = JSON.parse(readFileSync(file, 'utf8')) as { checksums: Record<string, string> }
  return { ...checksums }
}

async function fetchOne(from: string, to: string, { store, folder }: Fetching): Promise<string> {
  if (!/^https?:/.test(from)) {
    const path = resolve(folder, from)
    return existsSync(path) ? path : fail('artifact.not-found', undefined, { where: { source: from } })
  }
  mkdirSync(dirname(to), { recursive: true })
  await store.deliver({ kind: 'artifact', reference: from, as: 'blob' }, to, new AbortController().signal)
  return to
}

/** Archives are unpacked, programs copied; what lies beside a program in its archive is kept. */
async function place(path: string, into: string, scratch: string): Promise<void> {
  mkdirSync(into, { recursive: true })
  if ((await archiveFormat(path)) === undefined) {
    cpSync(path, join(into, basename(path)))
    chmodSync(join(into, basename(path)), 0o755)
    return
  }
  const open = { path, reference: path, scratchFolder: scratch, limits: usualArchiveLimits }
  const archive = await openArchive(open)
  const unpacked = mkdtempSync(join(scratch, 'u-'))
  try {
    await archive.extract({ folder: join(unpacked, 'x') })
  } finally {
    await archive.close()
  }
  cpSync(join(unpacked, 'x'), into, { recursive: true })
  for (const name of readdirSync(into)) {
    if (statSync(join(into, name)).isFile() && /^(?:terraform|tofu)/.test(name))
      chmodSync(join(into, name), 0o755)
  }
}

/** Settings for what a broker of the originals was told by its environment. */
export async function moveSettings(
  environment: Readonly<Record<string, string | undefined>>,
  paks: readonly string[],
): Promise<Moved> {
  const builtin = await Promise.all(
    paks.map(async (reference) => {
      const { package: pkg } = await readPak(reference, { engine: 'host' })
      const { manifest, definitions, origin } = pakNotes(pkg)
      return { reference, services: definitions.map(({ name }) => name), manifest, isV1: origin === 'v1' }
    }),
  )
  const password = Buffer.from(systemChance.bytes(18)).toString('base64url')
  return moveEnvironment(environment, builtin, password)
}

async function withStore<T>(work: (store: ArtifactStore) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pak-'))
  const store = openArtifactStore({ folder, registries: registriesOfCommand(process.env) })
  try {
    return await work(store)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
