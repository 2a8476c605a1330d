/** What authors of patterns do without a broker: read, check and run one operation after another. */

import { inspect, type Listener, openWorkshop, type Workshop } from '../host/workshop.ts'
import type { Json, JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Output } from '../model/outcome.ts'
import type { Package } from '../model/package.ts'
import { failAll, type Problem } from '../model/problem.ts'
import { isImageFolder } from './build-folder.ts'
import { builtImage, runAction } from './run-action.ts'
import { lintPattern } from './tweed/lint.ts'

export interface PatternWish {
  /** An image, or a folder with an `image.yml` that is built first. */
  readonly reference: string
  readonly dataDir: string
}

export interface PatternRead {
  readonly reference: string
  readonly digest: string
  /** As the contract understands it. */
  readonly metadata: JsonObject
  readonly schema: JsonObject | undefined
  readonly warnings: readonly Problem[]
}

/** Asks a pattern for its metadata. Problems: all that is wrong with it at once. */
export async function readPattern(wish: PatternWish, listener: Listener): Promise<PatternRead> {
  const reference = await builtImage(wish)
  return withWorkshop(wish, async (workshop) => {
    const asked = { reference, contract: 'tweed' }
    const { package: pkg, warnings } = await inspect(workshop, asked, listener)
    return patternOf(reference, pkg, warnings)
  })
}

/** The same, for a folder with everything that can be said of its files, each with its place. */
export async function checkPattern(wish: PatternWish, listener: Listener): Promise<PatternRead> {
  const { reference: folder, dataDir } = wish
  if (!isImageFolder(folder)) return readPattern(wish, listener)
  const { errors, warnings, read } = await lintPattern({ folder, dataDir }, listener)
  failAll(errors)
  return read === undefined ? readPattern(wish, listener) : patternOf(read.reference, read.package, warnings)
}

function patternOf(reference: string, pkg: Package, warnings: readonly Problem[]): PatternRead {
  const { metadata } = pkg.notes as { readonly metadata: JsonObject }
  const schema = pkg.services[0]?.plans[0]?.schemas.create
  return { reference, digest: pkg.digest, metadata, schema, warnings }
}

export const patternOperations = ['provision', 'bind', 'unbind', 'deprovision'] as const
export type PatternOperation = (typeof patternOperations)[number]

export interface OperationWish extends PatternWish {
  readonly operation: PatternOperation
  /** The instance that is acted upon; kept on this machine between operations. */
  readonly name: string
  readonly binding: string
  readonly parameters: JsonObject
  /** Where what $OUTPUTS held is written to. */
  readonly outputs?: string
}

export interface OperationRan {
  readonly problems: readonly Problem[]
  readonly credentials?: Json
  readonly outputs: readonly Output[]
}

/** Runs one operation as a broker would. Problems: instance.exists, instance.unknown, those of refusals. */
export async function runPattern(wish: OperationWish, listener: Listener): Promise<OperationRan> {
  const { operation, ...rest } = wish
  const { problems, outputs, binding } = await runAction(
    { ...rest, action: operation, contract: 'tweed' },
    listener,
  )
  const credentials = binding?.credentials
  return { problems, outputs, ...present({ credentials }) }
}

async function withWorkshop<T>(
  { dataDir }: PatternWish,
  work: (workshop: Workshop) => Promise<T>,
): Promise<T> {
  const workshop = await openWorkshop(dataDir)
  try {
    return await work(workshop)
  } finally {
    await workshop.close()
  }
}
