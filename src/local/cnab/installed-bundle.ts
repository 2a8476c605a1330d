/** From a reference to a bundle that can be run and kept: read by its contract, its image known by digest. */
import {
  bundleImagesOf,
  cnabNotes,
  findBundle,
  type InstalledBundle,
  type Relocation,
  relocated,
} from '../../contracts/cnab/index.ts'
import { inspect, type Listener } from '../../host/workshop.ts'
import { shortName } from '../../kit/hash.ts'
import { canonical, isObject, type JsonObject } from '../../kit/json.ts'
import { describeProblem, fail } from '../../model/problem.ts'
import type { CnabContext } from './context.ts'

/** Where images are instead of where the bundle says: names that run tools are told, and places of this machine. */
export type Relocations = Relocation

export interface InstalledBundleWish {
  readonly reference: string
  readonly options: JsonObject
  readonly relocation?: Relocations
}

/** Reads a bundle. Problems: all that is wrong with it at once. */
export async function installedBundle(
  room: CnabContext,
  { reference, options, relocation = {} }: InstalledBundleWish,
  listener: Listener,
): Promise<InstalledBundle> {
  const moved = Object.keys(relocation).length > 0
  const name = moved ? undefined : await nameOf(room, reference, options)
  const known = name === undefined ? undefined : room.bundles.find(name)
  if (known && (await room.house.workshop.artifacts.has(known.digest))) return { ...known, reference }
  // The code that says where an image is has looked at it.
  const asked = moved ? { ...options, relocation, allowUnpinnedImages: true } : options
  const read = await inspect(room.house.workshop, { reference, contract: 'cnab', options: asked }, listener)
  for (const warning of read.warnings) listener.progress(`warning: ${describeProblem(warning)}`)
  const notes = cnabNotes(read.package)
  const { digest } = read.package
  if (!moved) {
    const bundle = { reference, digest, notes }
    // What is to be warned of is said each time; and what a bundle depends on may be another one the next time.
    const isSettled = read.warnings.length === 0 && notes.dependencies.length === 0
    if (name !== undefined && isSettled) room.bundles.keep(name, bundle)
    return bundle
  }
  return { reference, digest, notes: await withPlaces(room, { reference, relocation, notes }, listener) }
}

/** Under which an archive is remembered: reading the same bytes again would find the same. */
async function nameOf(
  {
    house: {
      workshop: { artifacts },
    },
  }: CnabContext,
  reference: string,
  options: JsonObject,
): Promise<string | undefined> {
  const digest = await artifacts.digestOfTar(reference)
  return digest === undefined ? undefined : `${digest.replace(':', '-')}-${shortName(canonical(options), 16)}`
}

async function withPlaces(
  {
    house: {
      workshop: { artifacts },
    },
  }: CnabContext,
  {
    reference,
    relocation,
    notes,
  }: {
    readonly reference: string
    readonly relocation: Relocations
    readonly notes: InstalledBundle['notes']
  },
  { signal }: Listener,
): Promise<InstalledBundle['notes']> {
  const artifact = await artifacts.open(reference, signal)
  try {
    const found = await findBundle(artifact)
    const document: unknown = JSON.parse(notes.text)
    const [image] = bundleImagesOf(isObject(document) ? (document as JsonObject) : {})
    if (found === undefined || image === undefined) return fail('cnab.bundle.not-a-bundle', reference)
    const source = relocated(found, relocation)
    const place = source.placeOf(image)
    const digest = place.digest ?? (await artifacts.describe(place.reference, signal)).digest
    if (image.contentDigest !== undefined && image.contentDigest !== digest)
      fail('cnab.image.digest', `content digest mismatch: ${image.image} is ${digest}`)
    const names = Object.entries(source.relocation).filter(([, to]) => !/^[a-z-]+:(?!\d)/.test(to))
    return { ...notes, relocation: Object.fromEntries(names), image: { reference: place.reference, digest } }
  } finally {
    if ('close' in artifact) await artifact.close()
  }
}
