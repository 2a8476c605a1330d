/** What an installation on this machine remembers, in the shape of a claim store: claims, results and outputs of all its runs. */
import { decode, encode } from '../../../kit/codec.ts'
import type { JsonObject } from '../../../kit/json.ts'
import type { Carryover } from '../../../model/outcome.ts'
import { type Chain, chainIn } from '../chain.ts'
import type { KeptBundle, Notes } from '../notes.ts'
import type { AppliedState } from './applied.ts'

/** A bundle as an installation keeps it: everything that is needed to run it again when its source is gone. */
export interface InstalledBundle {
  /** As it was asked for. */
  readonly reference: string
  /** Of what the reference named. */
  readonly digest: string
  readonly notes: Notes
}

/** What belongs to an installation and is in no record of a run. */
export interface Installation {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly created: string
  readonly bundle: InstalledBundle
  readonly parameterSets: readonly string[]
  readonly credentialSets: readonly string[]
  /** By dependency, what was given for runs that changed something; the installation's own is under the empty name. */
  readonly given?: Readonly<Record<string, JsonObject>>
  readonly applied?: AppliedState
  /** By dependency, the bundle that ran last, which a later version of its parent may not name any more. */
  readonly dependencies?: Readonly<Record<string, KeptBundle>>
}

/** A claim store: claims by installation, results by claim, outputs by result. */
export interface ClaimFiles {
  /** Names, sorted. */
  installations(): readonly string[]
  /** Ids, oldest first: they sort by time. */
  claims(installation: string): readonly string[]
  claim(installation: string, claim: string): Uint8Array
  results(claim: string): readonly string[]
  result(claim: string, result: string): Uint8Array
  outputs(result: string): readonly string[]
  output(result: string, name: string): Uint8Array | undefined
  writeClaim(installation: string, claim: string, bytes: Uint8Array): void
  writeResult(claim: string, result: string, bytes: Uint8Array): void
  writeOutput(result: string, name: string, bytes: Uint8Array): void
}

export interface Ledger {
  readonly claims: ClaimFiles
  installation(): Installation | undefined
  /** Aliases of all dependencies that have run. */
  dependencies(): readonly string[]
  /** The bundle of a dependency that ran last. */
  dependency(alias: string): KeptBundle | undefined
  /** The chain that is under way, or that an operation left when it was cut off. */
  chain(): Chain | undefined
  keep(installation: Installation): void
  /** Everything as it is now. */
  carryover(): Carryover
}

const installationName = 'installation'

/** Opens what is remembered; changes stay here until they are kept. */
export function openLedger(carryover: Carryover): Ledger {
  const all = new Map(Object.entries(carryover))
  const installation = (): Installation | undefined => {
    const bytes = all.get(installationName)
    return bytes && decode<Installation>(Buffer.from(bytes).toString())
  }
  return {
    claims: claimsIn(all),
    installation,
    dependencies: () => Object.keys(dependenciesOf(installation())),
    dependency: (alias) => dependenciesOf(installation())[alias],
    chain: () => chainIn(carryover),
    keep: (installation) => void all.set(installationName, Buffer.from(encode(installation))),
    carryover: () => Object.fromEntries(all),
  }
}

/** Earlier versions kept only the bundle that the installation has. */
export function dependenciesOf(
  installation: Pick<Installation, 'bundle' | 'dependencies'> | undefined,
): Readonly<Record<string, KeptBundle>> {
  const named = installation?.bundle.notes.dependencies.map((one) => [one.alias, one] as const) ?? []
  return installation?.dependencies ?? Object.fromEntries(named)
}

function claimsIn(all: Map<string, Uint8Array>): ClaimFiles {
  const below = (...path: readonly string[]): readonly string[] => {
    const prefix = `${path.map(encodeURIComponent).join('/')}/`
    const names = [...all.keys()].flatMap((key) =>
      key.startsWith(prefix) ? [decodeURIComponent(key.slice(prefix.length).split('/')[0] ?? '')] : [],
    )
    return [...new Set(names)].sort()
  }
  const keyOf = (...path: readonly string[]): string => path.map(encodeURIComponent).join('/')
  const read = (...path: readonly string[]): Uint8Array => all.get(keyOf(...path)) ?? new Uint8Array()
  return {
    installations: () => below('claims'),
    claims: (installation) => below('claims', installation),
    claim: (installation, claim) => read('claims', installation, claim),
    results: (claim) => below('results', claim),
    result: (claim, result) => read('results', claim, result),
    outputs: (result) => below('outputs', result),
    output: (result, name) => all.get(keyOf('outputs', result, name)),
    writeClaim: (installation, claim, bytes) => void all.set(keyOf('claims', installation, claim), bytes),
    writeResult: (claim, result, bytes) => void all.set(keyOf('results', claim, result), bytes),
    writeOutput: (result, name, bytes) => void all.set(keyOf('outputs', result, name), bytes),
  }
}
