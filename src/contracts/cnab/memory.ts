/** What an installation keeps between its runs: the claim of its last change, how that ended, and its current outputs. */
import { canonical } from '../../kit/json.ts'
import type { Carryover } from '../../model/outcome.ts'
import { type Claim, claimDocument, type Result, readClaim, resultDocument } from './claims.ts'

export interface Memory {
  readonly claim?: Claim
  /** The newest of each name over all runs. */
  readonly outputs: Readonly<Record<string, Uint8Array>>
}

/** Names in the carryover; those of a dependency stand below its own name. */
function prefixOf(alias: string | undefined): string {
  return alias === undefined ? '' : `dependencies/${alias}/`
}

const outputsFolder = 'outputs/'

/** What is kept of the installation itself, or of a dependency of it. */
export function memoryOf(carryover: Carryover, alias?: string): Memory {
  const prefix = prefixOf(alias)
  const bytes = carryover[`${prefix}claim`]
  const read = bytes && readClaim(bytes)
  const folder = prefix + outputsFolder
  return {
    ...(read?.kind === 'read' ? { claim: read.value } : {}),
    outputs: Object.fromEntries(
      Object.entries(carryover).flatMap(([name, content]) =>
        name.startsWith(folder) ? [[name.slice(folder.length), content]] : [],
      ),
    ),
  }
}

export interface Change {
  readonly alias: string | undefined
  readonly outputs: Readonly<Record<string, Uint8Array>>
  /** Of a run that may have changed something. */
  readonly record?: { readonly claim: Claim; readonly result: Result }
}

/** The carryover after a run. */
export function withChange(carryover: Carryover, { alias, outputs, record }: Change): Carryover {
  const prefix = prefixOf(alias)
  const text = (value: Parameters<typeof canonical>[0]) => new TextEncoder().encode(canonical(value))
  return {
    ...carryover,
    ...Object.fromEntries(
      Object.entries(outputs).map(([name, bytes]) => [prefix + outputsFolder + name, bytes]),
    ),
    ...(record === undefined
      ? {}
      : {
          [`${prefix}claim`]: text(claimDocument(record.claim)),
          [`${prefix}result`]: text(resultDocument(record.result)),
        }),
  }
}
