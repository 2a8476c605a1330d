/** From a reference to a package: opens the artifact, finds the contract, runs what must describe itself. */
import type { ArtifactStore, OpenArchive, OpenComponent } from '../artifacts/index.ts'
import type { Contract, Lookup, ReadRequest } from '../contracts/contract.ts'
import { contracts } from '../contracts/index.ts'
import type { Engine, LogPiece } from '../engines/engine.ts'
import { digestOf } from '../kit/hash.ts'
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Judged } from '../languages/signatures/index.ts'
import type { Artifact } from '../model/artifact.ts'
import { contractNames } from '../model/contract-names.ts'
import type { Job } from '../model/job.ts'
import type { Package } from '../model/package.ts'
import { fail, failAll, type Problem } from '../model/problem.ts'
import type { Report } from '../model/report.ts'
import { hasProgram } from './host-programs.ts'
import { runJob } from './run-job.ts'
import { type Signing, type SigningWish, trustAsked, vouchFor } from './signing.ts'

export interface ReadingContext {
  readonly artifacts: Pick<ArtifactStore, 'open' | 'keep' | 'has' | 'tags' | 'signatures'>
  readonly engines: readonly Engine[]
  /** The signatures that are demanded; absent: none. */
  readonly signing?: Signing
}

export interface PackageWish extends SigningWish {
  /** Name of the contract where it should not be detected. */
  readonly contract?: string
  readonly options: JsonObject
  /** The name of the source that the package comes from; only what a contract is sure of is a package there. */
  readonly source?: string
  /** Labels that stand in for those of an image: what a file beside it says. */
  readonly labels?: Readonly<Record<string, string>>
  /** What an earlier reading of the same content found; packages are read once per digest. */
  readonly known?: (digest: string, contract: string) => Promise<Known | undefined>
  /** Takes what a package prints while it describes itself. */
  log(piece: LogPiece): Promise<void>
  progress(text: string): void
  /** Takes what was seen of the run in which a package described itself. */
  readonly described?: (report: Report) => void
  /** Takes what its author should mend of a package that is refused. */
  readonly doubted?: (warnings: readonly Problem[]) => void
}

/** A package, and which programs of the host the reading asked for: where those come or go it must be read again. */
export interface Known {
  readonly package: Package
  readonly programs: Readonly<Record<string, boolean>>
  /** What its author should mend, if an earlier reading has said so. */
  readonly remarks?: readonly Problem[]
}

export interface ReadPackage extends Known {
  readonly contract: Contract
  /** Empty where an earlier reading was found. */
  readonly warnings: readonly Problem[]
  /** What the registry says about it, where that was asked for. */
  readonly signatures: readonly Judged[]
  /** What its signatures were held against; absent where nothing was asked. */
  readonly trust?: string
}

/** Engines run programs on Linux, whatever this is. */
const goNames: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' }

/** Reads a package. Problems: all of it at once as the first and its others; package.unrecognised; those of opening. */
export async function readPackage(room: ReadingContext, wish: PackageWish): Promise<ReadPackage> {
  const artifact = await openArtifact(room, wish)
  try {
    // Before anything of it is read or run.
    const { signatures, missed } = await vouchFor(room, wish, artifact)
    const read = await readOpened(room, wish, artifact)
    if (artifact.kind === 'archive') await keepArchive(room, wish, artifact.digest)
    const trust = room.signing && trustAsked(room.signing, wish)
    const warnings = missed && wish.tellSignatures ? [...read.warnings, missed] : read.warnings
    return { ...read, warnings, signatures, ...present({ trust }) }
  } finally {
    if ('close' in artifact) await artifact.close()
  }
}

type Read = Omit<ReadPackage, 'signatures' | 'trust'>

async function readOpened(room: ReadingContext, wish: PackageWish, artifact: Artifact): Promise<Read> {
  const contract = contractFor(artifact, wish.contract, wish.source === undefined ? 'likely' : 'certain')
  const known = await wish.known?.(artifact.digest, contract.name)
  if (known && (await isKept(room.artifacts, contract.keeps?.(known.package) ?? [])))
    return { contract, ...known, warnings: [] }
  const lookup = lookupFor(room, wish)
  const programs: Record<string, boolean> = {}
  const asked = {
    options: wish.options,
    ...present({ source: wish.source }),
    platform: `linux/${goNames[process.arch] ?? process.arch}`,
    hasProgram: (name: string) => {
      programs[name] = hasProgram(name)
      return programs[name]
    },
    lookup,
  }
  try {
    return { ...(await readWith(contract, artifact, asked, { room, wish })), programs }
  } finally {
    await lookup.close()
  }
}

/** Whether what was kept when a package was read is still there. */
export async function isKept(
  artifacts: Pick<ArtifactStore, 'has'>,
  digests: readonly string[],
): Promise<boolean> {
  for (const digest of digests) if (!(await artifacts.has(digest))) return false
  return true
}

/** What a package refers to; archives among it are kept, for jobs name them by their digests, too. */
function lookupFor(room: ReadingContext, wish: PackageWish): Lookup & { close(): Promise<void> } {
  const opened: (OpenArchive | OpenComponent)[] = []
  return {
    open: async (reference) => {
      const artifact = await room.artifacts.open(reference, wish.signal)
      if ('close' in artifact) opened.push(artifact)
      await vouchFor(room, { reference, signal: wish.signal }, artifact)
      if (!('close' in artifact)) return artifact
      if (artifact.kind === 'archive') await keepArchive(room, { ...wish, reference }, artifact.digest)
      return artifact
    },
    tags: (repository) => room.artifacts.tags(repository, wish.signal),
    close: async () => {
      for (const one of opened) await one.close()
    },
  }
}

async function readWith(
  contract: Contract,
  artifact: Artifact,
  asked: ReadRequest,
  { room, wish }: { readonly room: ReadingContext; readonly wish: PackageWish },
): Promise<Omit<Read, 'programs'>> {
  const described = async (job: Job): Promise<ReadRequest> => {
    const report = await runJob(room.engines, job, runOf(wish))
    wish.described?.(report)
    return { ...asked, described: report }
  }
  const first = await contract.read(artifact, asked)
  const reading =
    first.kind === 'describe-first' ? await contract.read(artifact, await described(first.job)) : first
  if (reading.kind === 'refused') {
    wish.doubted?.(reading.warnings ?? [])
    failAll(reading.problems)
  }
  if (reading.kind === 'describe-first') return fail('package.invalid', 'it asks to be run again and again')
  return { contract, package: reading.package, warnings: reading.warnings }
}

async function openArtifact(
  { artifacts }: ReadingContext,
  { reference, signal, labels }: PackageWish,
): Promise<Artifact | OpenArchive | OpenComponent> {
  if (!reference.startsWith('sim:')) {
    const artifact = await artifacts.open(reference, signal)
    if (labels === undefined || artifact.kind !== 'image') return artifact
    const { config } = artifact
    return { ...artifact, config: { ...config, labels: { ...config.labels, ...labels } } }
  }
  return { kind: 'document', reference, digest: digestOf(reference), bytes: new Uint8Array() }
}

/** Jobs name entries of the archive by its digest, also when the file has long been replaced by the next version. */
async function keepArchive(
  { artifacts }: ReadingContext,
  { reference, signal }: PackageWish,
  digest: string,
): Promise<void> {
  if (await artifacts.has(digest)) return
  if ((await artifacts.keep(reference, signal)) === digest) return
  fail('package.invalid', 'it changed while it was read', { where: { source: reference } })
}

/** The contract of that name, else the one that is surest. Problems: package.unrecognised. */
export function contractFor(
  artifact: Artifact,
  name: string | undefined,
  least: 'likely' | 'certain' = 'likely',
): Contract {
  if (name !== undefined) return contractNamed(name)
  const sure = contracts.find((one) => one.recognise(artifact) === 'certain')
  const likely =
    least === 'likely' ? contracts.find((one) => one.recognise(artifact) === 'likely') : undefined
  return sure ?? likely ?? fail('package.unrecognised', artifact.reference)
}

/** Problems: package.unrecognised. */
export function contractNamed(name: string): Contract {
  return (
    contracts.find((one) => one.name === name) ??
    fail('package.unrecognised', `there is no contract ${name}; known: ${contractNames.join(', ')}`)
  )
}

function runOf({ signal, log, progress }: PackageWish) {
  return { cluster: 'describe', purpose: 'describe', signal, log, progress }
}
