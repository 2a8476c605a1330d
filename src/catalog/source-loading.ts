/** Takes the packages of a source into the catalog, and keeps them there while its registry is away. */

import type { ArtifactStore } from '../artifacts/index.ts'
import type { Engine } from '../engines/engine.ts'
import type { PackageWish } from '../host/read-package.ts'
import type { Signing } from '../host/signing.ts'
import { type Surroundings, type Survey, type SurveyedImage, survey } from '../host/survey.ts'
import { deepEqual, isObject, type JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Package } from '../model/package.ts'
import { type Problem, toProblem } from '../model/problem.ts'
import type { SourceEntry } from '../settings/catalog-settings.ts'
import type { Enrolment, Store } from '../store/store.ts'
import {
  type EnrolWord,
  isAway,
  isReadAs,
  isVouched,
  knownOf,
  type Remembered,
  refusalsOf,
  remembered,
  sameHost,
  toldProblems,
  whatToRemember,
} from './enrol.ts'
import {
  emptyListing,
  figuresOf,
  fingerprintOf,
  type Listing,
  leftOut,
  listingOf,
  type Row,
  sourceRow,
} from './source-listing.ts'
import { sourceOf } from './source-of.ts'

export interface SourceOrder {
  readonly store: Store
  readonly room: {
    readonly artifacts: ArtifactStore
    readonly engines: readonly Engine[]
    readonly signing?: Signing
  }
  readonly entry: SourceEntry
  /** What was written down before. */
  readonly enrolments: readonly Enrolment[]
  /** Names and ids of services that others offer. */
  readonly taken: ReadonlySet<string>
  readonly signal: AbortSignal
  tell(word: EnrolWord): void
}

/** A package of a source that is offered. */
export interface ListedPackage {
  /** Its name in this broker. */
  readonly name: string
  readonly package: Package
  readonly options: JsonObject
}

export interface LoadedSource {
  readonly packages: readonly ListedPackage[]
  /** Services that the source has no more and instances may still have. */
  readonly gone: readonly Package[]
  /** When its registry last said what it holds; undefined: never. */
  readonly listedAt: number | undefined
  /** Whether the last listing went well. */
  readonly isFresh: boolean
}

/** What a source offered when the broker last ran, without asking anybody; undefined when it was another source. */
export function recallSource({
  entry,
  enrolments,
  room,
}: Pick<SourceOrder, 'entry' | 'enrolments' | 'room'>): LoadedSource | undefined {
  const listing = listingOf(enrolments, entry)
  if (listing === undefined || listing.listedAt === null) return undefined
  return { ...rowsOf(enrolments, entry, room), listedAt: listing.listedAt, isFresh: false }
}

/** Asks a source and writes down what came of it. Away, it offers what it had. */
export async function listSource(order: SourceOrder): Promise<LoadedSource> {
  const { entry, room, signal, tell } = order
  const { name } = entry.source
  const of = { ...sourceOf(entry) }
  try {
    const found = await survey(of, { ...room, signal, known: knownAmong(order), ...lastOf(order) })
    return await write(order, found)
  } catch (error) {
    if (signal.aborted) throw error
    const problem = toProblem(error)
    const { store, enrolments } = order
    const { packages, gone } = rowsOf(enrolments, entry, room)
    const before = listingOf(enrolments, entry)
    tell({ kind: packages.length > 0 ? 'kept' : 'refused', name, source: 'registry', problem })
    const listing = before ?? emptyListing(entry)
    await put(store, [
      sourceRow(entry, 'refused', { ...listing, kept: packages.length, offered: 0 }, problem),
    ])
    return { packages, gone, listedAt: listing.listedAt ?? undefined, isFresh: false }
  }
}

async function write(order: SourceOrder, found: Survey): Promise<LoadedSource> {
  const { store, entry, enrolments, tell } = order
  const before = new Map(ownRows(enrolments, entry).map((row) => [row.name, row]))
  const read = found.found.map((image) => {
    const known = before.get(nameOf(entry, image))
    return rowOf(image, entry, known && isVouched(known, order.room, entry.signedBy) ? known : undefined)
  })
  const all = withoutTwins(withoutRefused(read, order), order)
  const present = new Set(all.filter(({ image }) => !isMissing(image)).map(({ row }) => row.name))
  const left = await goneRows(
    store,
    [...before.values()].filter(({ name }) => !present.has(name)),
  )
  // Registries go on listing names whose images are gone.
  const staying = new Set(left.stay.map((row) => row.name))
  const rows = all.filter(({ row }) => !staying.has(row.name))
  const written = new Set(rows.map(({ row }) => row.name))
  for (const { image, row, isKept } of rows) tellOf(image, { name: row.name, isKept, tell })
  const listedAt = await store.look.now()
  const kept = rows.filter(({ isKept }) => isKept).length
  const offered = rows.filter(({ row }) => row.state === 'offered')
  const listing: Listing = {
    fingerprint: fingerprintOf(entry),
    listedAt,
    images: found.images,
    offered: offered.length - kept,
    kept,
    refused: rows.length - offered.length,
    leftOut: leftOut(found),
    faults: found.faults,
  }
  await put(
    store,
    [
      ...rows.flatMap(({ row }) => (isSame(before.get(row.name), row) ? [] : [row])),
      ...left.stay.filter((row) => !isSame(before.get(row.name), row)),
      sourceRow(entry, 'offered', listing),
    ],
    left.remove.filter((name) => !written.has(name)),
  )
  tell({ kind: 'listed', name: entry.source.name, listing: figuresOf(found, listing) })
  return {
    packages: offered.map(({ row }) => listedOf(row)),
    gone: left.stay.map((row) => remembered(row).package),
    listedAt,
    isFresh: true,
  }
}

function isMissing(image: SurveyedImage): boolean {
  return image.kind === 'refused' && image.problem.code === 'artifact.not-found'
}

function nameOf({ source }: SourceEntry, image: SurveyedImage): string {
  return `${source.name}/${image.name}`
}

interface ImageRow {
  readonly image: SurveyedImage
  readonly row: Row
  /** The registry did not answer, and what it said before counts on. */
  readonly isKept: boolean
}

function rowOf(image: SurveyedImage, entry: SourceEntry, before: Enrolment | undefined): ImageRow {
  const { reference } = image
  const name = nameOf(entry, image)
  if (image.kind === 'package') {
    if (image.isUnchanged && before !== undefined) return { image, row: withoutTime(before), isKept: false }
    const { package: pkg, options, labels, contract } = image
    const document: Remembered = {
      ...whatToRemember(image),
      options,
      source: entry.source.name,
      ...present({ labels }),
    }
    const row = {
      name,
      reference,
      digest: pkg.digest,
      contract: contract.name,
      state: 'offered' as const,
      document: document as unknown as JsonObject,
    }
    return { image, row, isKept: false }
  }
  // Credentials that ran out must not take services out of the catalog, nor must a registry that is away.
  const stays =
    isAway(image.problem) || ['registry.unauthorized', 'registry.denied'].includes(image.problem.code)
  if (before?.state === 'offered' && stays && before.reference === reference) {
    return { image, row: withoutTime(before), isKept: true }
  }
  const document = {
    problems: toldProblems(image.problem),
    options: entry.options,
    source: entry.source.name,
  }
  return {
    image,
    row: {
      name,
      reference,
      digest: image.digest ?? '',
      contract: '',
      state: 'refused',
      document: document as unknown as JsonObject,
    },
    isKept: false,
  }
}

/** What platforms would refuse costs its own bundle only. */
function withoutRefused(rows: readonly ImageRow[], { entry }: SourceOrder): readonly ImageRow[] {
  return rows.map((one) => {
    const { row, image } = one
    if (row.state === 'refused' || (image.kind === 'package' && image.isUnchanged)) return one
    const { package: pkg, options } = listedOf(row)
    const [problem] = refusalsOf(pkg, { service: {}, plans: [], services: [], options })
    if (problem === undefined) return one
    return rowOf(
      { kind: 'refused', name: one.image.name, reference: row.reference, problem, digest: row.digest },
      entry,
      undefined,
    )
  })
}

/** Of two bundles that are the same service the first stays, by name; the other is refused. */
function withoutTwins(rows: readonly ImageRow[], { entry, taken }: SourceOrder): readonly ImageRow[] {
  const owners = new Map<string, string>()
  return rows.map((one) => {
    const { row } = one
    if (row.state === 'refused') return one
    const { services } = listedOf(row).package
    const words = services.flatMap(({ id, name }) => [...(id === undefined ? [] : [id]), name])
    const twin = words.find((word) => owners.has(word) || taken.has(word))
    if (twin === undefined) {
      for (const word of words) owners.set(word, row.name)
      return one
    }
    const detail = `the service ${services[0]?.name} is offered by ${owners.get(twin) ?? 'another package'} already`
    const problem: Problem = { code: 'catalog.refused', detail }
    const { reference, digest } = row
    return rowOf({ kind: 'refused', name: one.image.name, reference, problem, digest }, entry, undefined)
  })
}

/** What a source has no more leaves the catalog; while it has instances its row says so. */
async function goneRows(
  { look }: Store,
  gone: readonly Enrolment[],
): Promise<{ readonly stay: readonly Row[]; readonly remove: readonly string[] }> {
  const stay: Row[] = []
  const remove: string[] = []
  for (const { updatedAt: _at, ...row } of gone) {
    const known = isObject(row.document['package']) ? remembered(row).package : undefined
    const plans = known?.services.flatMap((service) => service.plans.flatMap(({ id }) => id ?? [])) ?? []
    const counts = await Promise.all(plans.map((plan) => look.countInstances(plan)))
    const instances = counts.reduce((sum, count) => sum + count, 0)
    if (instances === 0) {
      remove.push(row.name)
      continue
    }
    const problem: Problem = { code: 'catalog.source-gone', detail: `${instances} in use` }
    stay.push({
      ...row,
      state: 'refused',
      document: { ...row.document, problems: toldProblems(problem) as unknown as JsonObject[] },
    })
  }
  return { stay, remove }
}

function tellOf(
  image: SurveyedImage,
  {
    name,
    isKept,
    tell,
  }: { readonly name: string; readonly isKept: boolean; readonly tell: SourceOrder['tell'] },
): void {
  if (image.kind === 'refused') {
    tell({ kind: isKept ? 'kept' : 'refused', name, source: 'registry', problem: image.problem })
    return
  }
  if (image.warnings.length > 0) tell({ kind: 'warned', name, problems: image.warnings })
}

/** Earlier readings by what they were of. */
function knownAmong({
  enrolments,
  entry,
}: SourceOrder): (wanted: Pick<PackageWish, 'options' | 'labels'>) => PackageWish['known'] {
  const byDigest = Map.groupBy(
    enrolments.filter(({ state }) => state === 'offered'),
    ({ digest }) => digest,
  )
  return ({ options, labels }) =>
    (digest, contract) => {
      const found = byDigest
        .get(digest)
        ?.find(
          (one) =>
            one.contract === contract &&
            isReadAs(one, { options, source: entry.source.name }) &&
            deepEqual(remembered(one).labels ?? {}, labels ?? {}) &&
            sameHost(one),
        )
      return Promise.resolve(found && knownOf(found))
    }
}

/** What the last listing found under each name, if it was of the same source. */
function lastOf({ enrolments, entry, room }: SourceOrder): Pick<Surroundings, 'last'> {
  if (listingOf(enrolments, entry) === undefined) return {}
  const rows = new Map(ownRows(enrolments, entry).map((row) => [row.name, row]))
  return {
    last: (name, reference) => {
      const row = rows.get(`${entry.source.name}/${name}`)
      if (row?.state !== 'offered' || row.reference !== reference || !sameHost(row)) return undefined
      if (!isVouched(row, room, entry.signedBy)) return undefined
      const { options, labels } = remembered(row)
      return { ...knownOf(row), options, contract: row.contract, ...present({ labels }) }
    },
  }
}

function withoutTime({ updatedAt: _at, ...row }: Enrolment): Row {
  return row
}

function ownRows(enrolments: readonly Enrolment[], { source }: SourceEntry): readonly Enrolment[] {
  return enrolments.filter(({ document }) => document['source'] === source.name)
}

function rowsOf(
  enrolments: readonly Enrolment[],
  entry: SourceEntry,
  room: SourceOrder['room'],
): Pick<LoadedSource, 'packages' | 'gone'> {
  const rows = ownRows(enrolments, entry)
  return {
    packages: rows
      .filter((row) => row.state === 'offered' && isVouched(row, room, entry.signedBy))
      .map(listedOf),
    gone: rows
      .filter(({ state, document }) => state === 'refused' && isObject(document['package']))
      .map((row) => remembered(row).package),
  }
}

function listedOf(row: Row): ListedPackage {
  const { package: pkg, options } = remembered(row)
  return { name: row.name, package: pkg, options }
}

function isSame(before: Enrolment | undefined, row: Row): boolean {
  if (before === undefined) return false
  const { updatedAt: _at, ...old } = before
  return deepEqual(old as unknown as JsonObject, row as unknown as JsonObject)
}

async function put(store: Store, rows: readonly Row[], remove: readonly string[] = []): Promise<void> {
  await store.write(async (tx) => {
    const updatedAt = await tx.now()
    for (const name of remove) await tx.removeEnrolment(name)
    for (const row of rows) await tx.putEnrolment({ ...row, updatedAt })
  })
}
