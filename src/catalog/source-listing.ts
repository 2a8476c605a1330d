/** What a source answered when it was last asked, as it is written down for operators and for the next start. */
import type { Survey } from '../host/survey.ts'
import { sha256 } from '../kit/hash.ts'
import { canonical, isObject, type JsonObject } from '../kit/json.ts'
import type { Problem } from '../model/problem.ts'
import type { SourceEntry } from '../settings/catalog-settings.ts'
import type { Enrolment } from '../store/store.ts'
import { toldProblems } from './enrol.ts'

export type Row = Omit<Enrolment, 'updatedAt'>

/** Counts and names of what came and what did not. */
export interface Listing {
  readonly fingerprint: string
  readonly listedAt: number | null
  readonly images: number
  readonly offered: number
  readonly kept: number
  readonly refused: number
  readonly leftOut: readonly {
    readonly why: string
    readonly count: number
    readonly names: readonly string[]
  }[]
  readonly faults: readonly string[]
}

/** So many names are told of each kind of what is left out. */
const namesMax = 100

/** What was left out without being looked into, and why. */
export function leftOut({ notWhite, black, noPackage }: Survey): Listing['leftOut'] {
  const kinds = [
    ['not on the white list', notWhite],
    ['on the black list', black],
    ['no package', noPackage],
  ] as const
  return kinds.flatMap(([why, names]) =>
    names.length === 0 ? [] : [{ why, count: names.length, names: names.slice(0, namesMax) }],
  )
}

/** How many images came to what. */
export function figuresOf(
  { notWhite, black, noPackage }: Survey,
  { offered, kept, refused }: Listing,
): Readonly<Record<string, number>> {
  return {
    offered,
    kept,
    refused,
    not_white: notWhite.length,
    black: black.length,
    no_package: noPackage.length,
  }
}

/** The row of a source beside those of its packages. */
export function sourceRow(entry: SourceEntry, state: Row['state'], listing: Listing, problem?: Problem): Row {
  const { name, type, url, path, organisation } = entry.source
  const document = { listing, ...(problem === undefined ? {} : { problems: toldProblems(problem) }) }
  return {
    name,
    reference: [`${type}:`, url ?? path ?? '', organisation ?? ''].filter((part) => part !== '').join(' '),
    digest: '',
    contract: '',
    state,
    document: document as unknown as JsonObject,
  }
}

/** What a source of these settings answered last. */
export function listingOf(enrolments: readonly Enrolment[], entry: SourceEntry): Listing | undefined {
  const row = enrolments.find(
    ({ name, document }) => name === entry.source.name && isObject(document['listing']),
  )
  // Written by sourceRow and nowhere else.
  const listing = row?.document['listing'] as unknown as Listing | undefined
  return listing?.fingerprint === fingerprintOf(entry) ? listing : undefined
}

/** The listing of a source that never answered. */
export function emptyListing(entry: SourceEntry): Listing {
  return {
    fingerprint: fingerprintOf(entry),
    listedAt: null,
    images: 0,
    offered: 0,
    kept: 0,
    refused: 0,
    leftOut: [],
    faults: [],
  }
}

/** What makes a source another one: where it is, what it takes, how it is read. Not how often or as whom. */
export function fingerprintOf({ source, options, contract }: SourceEntry): string {
  const { type, url, path, organisation, namespaces, images, tag, whiteList, blackList, overrides } = source
  const own = overrides.map((one) => ({ service: one.service, options: one.options }))
  const words = {
    type,
    url,
    path,
    organisation,
    namespaces,
    images,
    tag,
    whiteList,
    blackList,
    own,
    options,
    contract,
  }
  return sha256(canonical(JSON.parse(JSON.stringify(words))))
}
