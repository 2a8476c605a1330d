/** What an installation keeps between its runs: the claim of its last change, how that ended, and its current outputs. */
import { canonical, type Json } from '../../kit/json.ts'
import type { Carryover } from '../../model/outcome.ts'
import { type Claim, claimDocument, type Result, readClaim, resultDocument } from './claims.ts'
import type { KeptBundle } from './notes.ts'

export interface Memory {
  readonly claim?: Claim
  /** Of a dependency: the bundle that ran last, which a later version of its parent may not name any more. */
  readonly bundle?: KeptBundle
  /** The newest of each name over all runs. */
  readonly outputs: Readonly<Record<string, Uint8Array>>
}

/** Names in the carryover; those of a dependency stand below its own name, and below that of what needs it. */
function prefixOf(alias: string | undefined): string {
  return alias === undefined ? '' : `${alias.replace(/^|\//g, (sign) => `${sign}dependencies/`)}/`
}

/** The dependencies of which something is kept. */
export function aliasesIn(carryover: Carryover): readonly string[] {
  return Object.keys(carryover).flatMap((name) => {
    const [, path] = /^dependencies\/(.+)\/claim$/.exec(name) ?? []
    // Outputs may have any name.
    return path === undefined || path.includes('/outputs/') ? [] : [path.replaceAll('/dependencies/', '/')]
  })
}

const outputsFolder = 'outputs/'

/** What is kept of the installation itself, or of a dependency of it. */
export function memoryOf(carryover: Carryover, alias?: string): Memory {
  const prefix = prefixOf(alias)
  const bytes = carryover[`${prefix}claim`]
  const read = bytes && readClaim(bytes)
  const bundle = alias === undefined ? undefined : carryover[`${prefix}bundle`]
  const folder = prefix + outputsFolder
  return {
    ...(read?.kind === 'read' ? { claim: read.value } : {}),
    // Written by withChange and by nothing else.
    ...(bundle ? { bundle: JSON.parse(new TextDecoder().decode(bundle)) as KeptBundle } : {}),
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
  readonly bundle: KeptBundle
  /** Of a run that may have changed something. */
  readonly record?: { readonly claim: Claim; readonly result: Result }
}

/** The carryover after a run. What has been uninstalled is forgotten, but for its bundle: the chain may still name it. */
export function withChange(carryover: Carryover, { alias, outputs, bundle, record }: Change): Carryover {
  const prefix = prefixOf(alias)
  if (record?.claim.action === 'uninstall' && record.result.status === 'succeeded')
    return Object.fromEntries(Object.entries(carryover).filter(([name]) => !isOwn(name, prefix)))
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
          ...(alias === undefined ? {} : { [`${prefix}bundle`]: text(bundle as unknown as Json) }),
        }),
  }
}

/** The carryover at the end of a chain: without bundles of dependencies that are gone. */
export function withoutGone(carryover: Carryover): Carryover {
  const there = new Set(aliasesIn(carryover).map((alias) => `${prefixOf(alias)}bundle`))
  const isGone = (name: string): boolean =>
    /^dependencies\/.*\/bundle$/.test(name) && !name.includes(`/${outputsFolder}`) && !there.has(name)
  return Object.fromEntries(Object.entries(carryover).filter(([name]) => !isGone(name)))
}

/** Whether an entry is one of a bundle itself, not of what it depends on. */
function isOwn(name: string, prefix: string): boolean {
  if (!name.startsWith(prefix)) return false
  const rest = name.slice(prefix.length)
  return ['claim', 'result'].includes(rest) || rest.startsWith(outputsFolder)
}
