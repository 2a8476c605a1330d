/** Takes packages into the catalog: each is read once per content, and one that cannot be read stops no other. */
import { parseReference, type Reference } from '../artifacts/reference.ts'
import { type EntryChoice, offersOf } from '../broker/offer.ts'
import { platformRefusals } from '../broker/offerable.ts'
import { fitToOperator } from '../host/fit.ts'
import { hasProgram } from '../host/host-programs.ts'
import { type Known, type ReadingContext, type ReadPackage, readPackage } from '../host/read-package.ts'
import { trustAsked } from '../host/signing.ts'
import { canonical, type JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Package } from '../model/package.ts'
import { failAll, type Problem, toProblem } from '../model/problem.ts'
import type { CatalogEntry } from '../settings/catalog-settings.ts'
import type { Enrolment, Store } from '../store/store.ts'

export interface EnrolOrder {
  readonly store: Store
  readonly room: ReadingContext
  /** What was written down before. */
  readonly enrolments: readonly Enrolment[]
  readonly entry: CatalogEntry
  /** The name of the package in this broker. */
  readonly name: string
  /** Told of a package that is refused, and of what a package prints or warns of. */
  tell(word: EnrolWord): void
}

/** Where packages come from: the kinds of references, and what is not one. */
type PackageSource = Reference['kind'] | 'sim' | 'unknown'

export type EnrolWord =
  | { readonly kind: 'offered'; readonly name: string; readonly source: PackageSource }
  | {
      readonly kind: 'refused' | 'kept'
      readonly name: string
      readonly source: PackageSource
      readonly problem: Problem
    }
  /** Of content that was not read before. */
  | { readonly kind: 'warned'; readonly name: string; readonly problems: readonly Problem[] }
  /** Instances are left of a service whose package is offered under another name. */
  | { readonly kind: 'renamed'; readonly name: string; readonly problem: Problem }
  | { readonly kind: 'printed'; readonly name: string; readonly text: string }
  /** How many images of a source came to what. */
  | { readonly kind: 'listed'; readonly name: string; readonly listing: Readonly<Record<string, number>> }

/** What is written down of a package that was read. */
export interface Remembered extends Omit<Known, 'programs' | 'remarks'> {
  readonly programs?: Known['programs']
  /** What its author should mend. */
  readonly warnings?: ReadPackage['warnings']
  readonly options: JsonObject
  /** The source that listed it; absent where the catalog names it itself. */
  readonly source?: string
  /** What a file beside its image said. */
  readonly labels?: Readonly<Record<string, string>>
  readonly signatures?: ReadPackage['signatures']
  readonly trust?: string
  /** The tenant in whose sandbox it stands. */
  readonly tenant?: string
}

/** The package of an entry; undefined when it is refused, which is written down and told. */
export async function enrol(order: EnrolOrder): Promise<Package | undefined> {
  const { store, room, entry, name, enrolments, tell } = order
  const source = sourceOf(entry.package)
  const find = (same: (one: Enrolment) => boolean): Enrolment | undefined =>
    enrolments.find(
      (one) => one.state === 'offered' && same(one) && isReadAs(one, { options: entry.options }),
    )
  try {
    const read = await readPackage(room, {
      reference: entry.package,
      signedBy: entry.signedBy,
      ...present({ contract: entry.contract }),
      options: entry.options,
      known: (digest, contract) => {
        const found = find((one) => one.digest === digest && one.contract === contract && sameHost(one))
        return Promise.resolve(found && knownOf(found))
      },
      signal: new AbortController().signal,
      progress: () => undefined,
      log: (piece) => {
        tell({ kind: 'printed', name, text: Buffer.from(piece.bytes).toString() })
        return Promise.resolve()
      },
    })
    const { contract, package: pkg, warnings } = read
    failAll(refusalsOf(pkg, entry))
    if (warnings.length > 0) tell({ kind: 'warned', name, problems: warnings })
    const document: Remembered = { ...whatToRemember(read), options: entry.options }
    await write(store, {
      name,
      reference: entry.package,
      digest: pkg.digest,
      contract: contract.name,
      state: 'offered',
      document: document as unknown as JsonObject,
    })
    tell({ kind: 'offered', name, source })
    return pkg
  } catch (error) {
    const problem = toProblem(error)
    // A registry that is away must not take services out of the catalog that were in it before.
    const before = isAway(problem)
      ? find((one) => one.reference === entry.package && isVouched(one, room, entry.signedBy))
      : undefined
    if (before) {
      tell({ kind: 'kept', name, source, problem })
      // The row of a name that the catalog does not hold any more is removed.
      if (before.name !== name) await write(store, { ...before, name })
      return knownOf(before).package
    }
    tell({ kind: 'refused', name, source, problem })
    await write(store, {
      name,
      reference: entry.package,
      digest: '',
      contract: entry.contract ?? '',
      state: 'refused',
      document: { problems: toldProblems(problem), options: entry.options } as unknown as JsonObject,
    })
    return undefined
  }
}

/** What is written down of a reading. */
export function whatToRemember(
  read: Pick<ReadPackage, 'package' | 'programs' | 'signatures' | 'trust' | 'warnings' | 'remarks'>,
): Omit<Remembered, 'options'> {
  const { package: pkg, programs, signatures, trust, warnings, remarks = warnings } = read
  return {
    package: pkg,
    programs,
    ...(remarks.length === 0 ? {} : { warnings: remarks.map(said) }),
    ...(signatures.length === 0 ? {} : { signatures }),
    ...present({ trust }),
  }
}

/** Whether the signatures of a package were held against what is asked of them now. */
export function isVouched(
  enrolment: Pick<Enrolment, 'reference' | 'document'>,
  { signing }: Pick<ReadingContext, 'signing'>,
  signedBy: readonly string[],
): boolean {
  if (signing === undefined) return true
  const asked = trustAsked(signing, { reference: enrolment.reference, signedBy })
  return asked === undefined || enrolment.document['trust'] === asked
}

/** What platforms would refuse of a package as an entry offers it; faults of the entry itself are told elsewhere. */
export function refusalsOf(pkg: Package, choice: EntryChoice): readonly Problem[] {
  const { offers, problems } = offersOf(pkg, choice, pkg.name)
  const fitted = offers.map((offer) => fitToOperator(offer, pkg.name))
  if (problems.length > 0 || fitted.some((one) => one.problems.length > 0)) return []
  return platformRefusals(fitted.map(({ offer }) => offer))
}

/** A problem and its others, as they are written down. */
export function toldProblems(problem: Problem): readonly Omit<Problem, 'cause' | 'others'>[] {
  return [problem, ...(problem.others ?? [])].map(said)
}

function said({ cause: _cause, others: _others, ...rest }: Problem): Omit<Problem, 'cause' | 'others'> {
  return rest
}

/** For the figures alone: reading the package refuses what is no reference, with its reason. */
function sourceOf(reference: string): PackageSource {
  if (reference.startsWith('sim:')) return 'sim'
  try {
    // Its kind does not depend on the host that stands in for one it does not name.
    return parseReference(reference, { defaultHost: 'localhost' }).kind
  } catch {
    return 'unknown'
  }
}

function write(store: Store, enrolment: Omit<Enrolment, 'updatedAt'>): Promise<void> {
  return store.write(async (tx) => tx.putEnrolment({ ...enrolment, updatedAt: await tx.now() }))
}

/** What was written down. */
export function remembered({ document }: Pick<Enrolment, 'document'>): Remembered {
  // Written here and nowhere else.
  return document as unknown as Remembered
}

/** Whether it was read with these options, and as listed by the same source: names of services hang on it. */
export function isReadAs(
  enrolment: Enrolment,
  { options, source }: Pick<Remembered, 'options' | 'source'>,
): boolean {
  const read = remembered(enrolment)
  return read.source === source && canonical(read.options) === canonical(options)
}

/** The package of an enrolment, as a later reading may take it over. */
export function knownOf(enrolment: Enrolment): Known {
  // What was written before readings told what they asked for has no programs.
  const { package: pkg, programs = {}, warnings: remarks } = remembered(enrolment)
  return { package: pkg, programs, ...present({ remarks }) }
}

/** Whether the host has the programs that it had, and lacks those that it lacked. */
export function sameHost(enrolment: Enrolment): boolean {
  const asked = Object.entries(knownOf(enrolment).programs)
  return asked.every(([name, had]) => hasProgram(name) === had)
}

/** Whether a registry did not answer, which says nothing about what it holds. */
export function isAway({ code }: Problem): boolean {
  return code === 'registry.unreachable' || code === 'registry.failed'
}
