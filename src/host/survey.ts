/** Looks through a source: which images it holds, which of them are packages, and why the others are not. */
import type { ArtifactStore, ImagesPlace, ListedImage, ListingLogin } from '../artifacts/index.ts'
import type { Engine } from '../engines/engine.ts'
import { inParallel } from '../kit/in-parallel.ts'
import type { JsonObject } from '../kit/json.ts'
import { type Problem, toProblem } from '../model/problem.ts'
import { listDescribed } from './described-folders.ts'
import { type NameLists, nameLists } from './name-lists.ts'
import { type PackageWish, type ReadPackage, readPackage } from './read-package.ts'

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
  readonly options: JsonObject
  /** Options for single services, over those of all. */
  readonly overrides: readonly { readonly service: string; readonly options: JsonObject }[]
}

export interface Surroundings {
  readonly artifacts: ArtifactStore
  readonly engines: readonly Engine[]
  readonly signal: AbortSignal
  /** What an earlier reading of the same content found. */
  known(wanted: Pick<PackageWish, 'options' | 'labels'>): PackageWish['known']
}

export type SurveyedImage = { readonly name: string; readonly reference: string } & (
  | ({ readonly kind: 'package'; readonly options: JsonObject } & Pick<PackageWish, 'labels'> & ReadPackage)
  | { readonly kind: 'refused'; readonly problem: Problem }
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
  try {
    const read = async (options: JsonObject): Promise<SurveyedImage> => ({
      kind: 'package',
      name,
      reference,
      options,
      ...labels,
      ...(await readPackage(around, {
        reference,
        options,
        source: source.name,
        ...labels,
        ...(source.contract === undefined ? {} : { contract: source.contract }),
        ...present(around.known({ options, ...labels })),
        signal: around.signal,
        progress: () => undefined,
        log: async () => undefined,
      })),
    })
    const first = await read(source.options)
    const own = overrideOf(first, source)
    return own === undefined ? first : await read({ ...source.options, ...own })
  } catch (error) {
    if (around.signal.aborted) throw error
    return { kind: 'refused', name, reference, problem: toProblem(error) }
  }
}

function present(known: PackageWish['known']): Pick<PackageWish, 'known'> {
  return known === undefined ? {} : { known }
}

function overrideOf(image: SurveyedImage, { overrides }: Source): JsonObject | undefined {
  if (image.kind !== 'package') return undefined
  const names = new Set(image.package.services.map((service) => service.name))
  return overrides.find(({ service }) => names.has(service))?.options
}
