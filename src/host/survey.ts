/** Looks through a source: which images it holds, which of them are packages, and why the others are not. */
import type { ArtifactStore, ImagesPlace, ListedImage, ListingLogin } from '../artifacts/index.ts'
import type { Engine } from '../engines/engine.ts'
import { inParallel } from '../kit/in-parallel.ts'
import { deepEqual, type JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Package } from '../model/package.ts'
import { type Problem, toProblem } from '../model/problem.ts'
import { listDescribed } from './described-folders.ts'
import { type NameLists, nameLists } from './name-lists.ts'
import {
  contractNamed,
  isKept,
  type Known,
  type PackageWish,
  type ReadPackage,
  readPackage,
} from './read-package.ts'
import type { Signing } from './signing.ts'

export interface Source {
  readonly name: string
  readonly place: ImagesPlace | { readonly kind: 'folder'; readonly folder: string }
  /** The registry of images that are named without one. */
  readonly host?: string
  readonly login: ListingLogin
  /** There whatever the listing says. */
  readonly images: readonly string[]
  readonly tag: string
  readonly white: readonly string[]
  readonly black: readonly string[]
  readonly contract?: string
  /** Signers of which one must have signed every image. */
  readonly signedBy: readonly string[]
  readonly options: JsonObject
  /** Options for single services, over those of all. */
  readonly overrides: readonly { readonly service: string; readonly options: JsonObject }[]
}

export interface Surroundings {
  readonly artifacts: ArtifactStore
  readonly engines: readonly Engine[]
  readonly signing?: Signing
  readonly signal: AbortSignal
  /** What an earlier reading of the same content found. */
  known(wanted: Pick<PackageWish, 'options' | 'labels'>): PackageWish['known']
  /** What the last look found at a reference, where the source was the same one. */
  last?(name: string, reference: string): LastReading | undefined
}

/** A package of the last look, and what it was read with. */
export interface LastReading extends Known, Pick<PackageWish, 'labels'> {
  readonly contract: string
  readonly options: JsonObject
}

export type SurveyedImage = { readonly name: string; readonly reference: string } & (
  | ({
      readonly kind: 'package'
      readonly options: JsonObject
      /** The last look found the same, and it was not read again. */
      readonly isUnchanged: boolean
    } & Pick<PackageWish, 'labels'> &
      ReadPackage)
  | {
      readonly kind: 'refused'
      readonly problem: Problem
      /** Of the image, where it came as far as being opened. */
      readonly digest?: string
    }
)

export interface Survey {
  /** How many images there are. */
  readonly images: number
  /** Packages and what is refused, by name. */
  readonly found: readonly SurveyedImage[]
  readonly notWhite: readonly string[]
  readonly black: readonly string[]
  readonly noPackage: readonly string[]
  /** Expressions of the lists that are none, and a listing that failed although images are named. */
  readonly faults: readonly string[]
}

/** How many images are asked for at the same time. */
const width = 8

interface Candidate extends ListedImage {
  readonly labels?: Readonly<Record<string, string>>
}

/** Looks through a source once. Problems: those of listing it. */
export async function survey(source: Source, around: Surroundings): Promise<Survey> {
  const lists = nameLists(source.white, source.black)
  const { candidates, faults } = await listed(source, around)
  const judged = candidates.map((one) => ({ one, verdict: lists.judge(one.name) }))
  const of = (wanted: ReturnType<NameLists['judge']>) =>
    judged.flatMap(({ one, verdict }) => (verdict === wanted ? [one] : []))
  const visit = around.artifacts.visit()
  const noPackage: string[] = []
  try {
    const read = await inParallel(of('passes'), width, (one) =>
      readCandidate(one, source, { ...around, artifacts: visit.artifacts }),
    )
    const found = read.filter((image) => {
      if (image.kind === 'package' || image.problem.code !== 'package.unrecognised') return true
      noPackage.push(image.name)
      return false
    })
    return {
      images: candidates.length,
      found,
      noPackage,
      notWhite: of('not-white').map(({ name }) => name),
      black: of('black').map(({ name }) => name),
      faults: [...lists.faults, ...faults],
    }
  } finally {
    await visit.leave()
  }
}

async function listed(
  source: Source,
  { artifacts, signal }: Surroundings,
): Promise<{ readonly candidates: readonly Candidate[]; readonly faults: readonly string[] }> {
  const { place, images, host = '' } = source
  const named = images.map((name): Candidate => imageAt(host, name))
  const faults: string[] = []
  const list = async (): Promise<readonly Candidate[]> => {
    if (place.kind !== 'folder') return await artifacts.list(place, source.login, signal)
    return (await listDescribed(place.folder)).map(({ name, image, labels }) => ({
      ...(image === undefined ? imageAt(host, name) : imageAt('', image)),
      name,
      labels,
    }))
  }
  const found = await list().catch((error: unknown) => {
    // Registries may keep their catalog to themselves; what is named is there all the same.
    if (named.length === 0) throw error
    const { code, detail = '' } = toProblem(error)
    faults.push(`the registry does not list its images (${code} ${detail})`.replace(' )', ')'))
    return []
  })
  const byName = new Map([...found, ...named].map((one) => [one.name, one]))
  const candidates = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { candidates, faults }
}

function imageAt(host: string, name: string): Candidate {
  if (/^(docker|oci|oci-archive|docker-archive):/.test(name)) return { name, reference: name, tagged: false }
  return { name, reference: `docker://${host === '' ? '' : `${host}/`}${name}`, tagged: true }
}

async function readCandidate(one: Candidate, source: Source, around: Surroundings): Promise<SurveyedImage> {
  const { name } = one
  const isNamed = !one.tagged || /[:@][^/]*$/.test(one.reference.replace(/^docker:\/\/[^/]*\//, ''))
  const reference = isNamed ? one.reference : `${one.reference}:${source.tag}`
  const labels = one.labels === undefined ? {} : { labels: one.labels }
  let seen: { readonly digest?: string } = {}
  try {
    const unchanged = await readingStill({ ...one, reference }, source, around)
    if (unchanged !== undefined) return unchanged
    const read = async (options: JsonObject): Promise<SurveyedImage> => ({
      kind: 'package',
      name,
      reference,
      options,
      isUnchanged: false,
      ...labels,
      ...(await readPackage(around, {
        reference,
        options,
        source: source.name,
        signedBy: source.signedBy,
        ...labels,
        ...present({ contract: source.contract }),
        known: async (digest, contract) => {
          seen = { digest }
          return await around.known({ options, ...labels })?.(digest, contract)
        },
        signal: around.signal,
        progress: () => undefined,
        log: async () => undefined,
      })),
    })
    const first = await read(source.options)
    const own = first.kind === 'package' ? overrideOf(first.package, source) : undefined
    return own === undefined ? first : await read({ ...source.options, ...own })
  } catch (error) {
    if (around.signal.aborted) throw error
    return { kind: 'refused', name, reference, problem: toProblem(error), ...seen }
  }
}

/** What the last look found, if the tag still has that digest and nothing else has changed; the image is not opened. */
async function readingStill(
  { name, reference, labels = {} }: Candidate,
  source: Source,
  { artifacts, last, signal }: Surroundings,
): Promise<SurveyedImage | undefined> {
  const before = last?.(name, reference)
  if (before === undefined || !deepEqual(before.labels ?? {}, labels)) return undefined
  const { package: pkg, programs, options, contract } = before
  if (!deepEqual(options, { ...source.options, ...overrideOf(pkg, source) })) return undefined
  if ((await artifacts.digestNow(reference, signal)) !== pkg.digest) return undefined
  const reader = contractNamed(contract)
  if (!(await isKept(artifacts, reader.keeps?.(pkg) ?? []))) return undefined
  return {
    kind: 'package',
    name,
    reference,
    options,
    isUnchanged: true,
    ...present({ labels: before.labels }),
    package: pkg,
    programs,
    contract: reader,
    warnings: [],
    signatures: [],
  }
}

function overrideOf(pkg: Package, { overrides }: Source): JsonObject | undefined {
  const names = new Set(pkg.services.map((service) => service.name))
  return overrides.find(({ service }) => names.has(service))?.options
}
