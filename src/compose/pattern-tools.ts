/** What authors of patterns do without a broker: read, check and run one operation after another. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Json, JsonObject } from '../kit/json.ts'
import type { Output } from '../model/outcome.ts'
import { fail, type Problem } from '../model/problem.ts'
import { buildFolder, isImageFolder } from './build-folder.ts'
import { actLocally, findLocal, newLocal } from './local-instance.ts'
import { inspect, type Listener, openWorkshop, type Workshop } from './workshop.ts'

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

/** The reference of an image, built first where it is a folder. Problems: those of building. */
export async function builtPattern({ reference, dataDir }: PatternWish, to?: string): Promise<string> {
  if (!isImageFolder(reference)) return reference
  return buildFolder({ folder: reference, dataDir, ...(to === undefined ? {} : { to }) })
}

/** Asks a pattern for its metadata. Problems: all that is wrong with it at once. */
export async function readPattern(wish: PatternWish, listener: Listener): Promise<PatternRead> {
  const reference = await builtPattern(wish)
  return withWorkshop(wish, async (workshop) => {
    const { package: pkg, warnings } = await inspect(workshop, { reference, contract: 'tweed' }, listener)
    const { metadata } = pkg.notes as { readonly metadata: JsonObject }
    return {
      reference,
      digest: pkg.digest,
      metadata,
      schema: pkg.services[0]?.plans[0]?.schemas.create,
      warnings,
    }
  })
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
  const { operation, name, binding } = wish
  const reference = await builtPattern(wish)
  return withWorkshop(wish, async (workshop) => {
    const { package: pkg } = await inspect(workshop, { reference, contract: 'tweed' }, listener)
    const found = findLocal(workshop, name)
    if (operation === 'provision' && found?.state === 'ready') fail('instance.exists', name)
    if (operation !== 'provision' && found === undefined) {
      fail('instance.unknown', name, { hint: 'Run provision first, with the same --name.' })
    }
    if (operation === 'bind' && found?.bindings[binding]?.answer) {
      fail('binding.exists', binding, { hint: 'Choose another --binding, or run unbind first.' })
    }
    // An author runs what was built last, not what the instance was made from.
    const instance = { ...(found ?? newLocal(name, pkg)), package: pkg }
    const isOfBinding = operation === 'bind' || operation === 'unbind'
    const { outcome } = await actLocally(
      workshop,
      instance,
      {
        action: { kind: operation },
        parameters: isOfBinding ? {} : wish.parameters,
        ...(isOfBinding ? { binding } : {}),
      },
      listener,
    )
    const outputs = outcome.outputs ?? []
    if (wish.outputs !== undefined) writeOutputs(wish.outputs, outputs)
    const credentials = outcome.binding?.credentials
    return { problems: outcome.problems, outputs, ...(credentials === undefined ? {} : { credentials }) }
  })
}

/** Names were checked to stay below the folder when they were collected. */
function writeOutputs(folder: string, outputs: readonly Output[]): void {
  for (const { name, content, state } of outputs) {
    if (state === 'missing' || state === 'too-large') continue
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content, { mode: 0o600 })
  }
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
