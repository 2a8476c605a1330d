/** What an operator may say about a bundle or a plan of it, beside the values of its parameters. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { checkerOf } from '../../kit/schema.ts'
import { type Limits, limitsFor } from '../../model/job.ts'
import type { Problem } from '../../model/problem.ts'

export interface Options {
  /** Extensions that the bundle may require although nothing here knows them. */
  readonly allowExtensions: readonly string[]
  /** Run images that a tag names; the digest is looked up when the bundle is read. */
  readonly allowUnpinnedImages: boolean
  /** Lend the socket of the container engine to bundles that ask for it. */
  readonly allowDockerHostAccess: boolean
  /** Where dependencies are, instead of where the bundle says; by their names. */
  readonly dependencies: Readonly<Record<string, string>>
  /** Where images are instead of where the bundle says; by the names that it calls them. */
  readonly relocation: Readonly<Record<string, string>>
  readonly dependencyVersions: 'exact' | 'max-patch' | 'max-minor' | 'min'
  /** Parameter sets, each of which becomes a plan. */
  readonly parameterSets: readonly Json[]
  /** As the bundle's own `io.chandler.service`; wins over it. */
  readonly service: JsonObject
  /** Of one output, and of all outputs of a run. */
  readonly outputBytes: number
  readonly outputsBytes: number
  readonly logBytes: number
  /** What a run may write, all files together. */
  readonly diskBytes: number
  readonly killGraceSeconds: number
  readonly memoryBytes: number
  readonly processes: number
  readonly cpus: number
  readonly timeoutSeconds: number
}

export const usualOptions: Options = {
  allowExtensions: [],
  allowUnpinnedImages: false,
  allowDockerHostAccess: false,
  dependencies: {},
  relocation: {},
  dependencyVersions: 'exact',
  parameterSets: [],
  service: {},
  outputBytes: 1024 * 1024,
  outputsBytes: 8 * 1024 * 1024,
  logBytes: 16 * 1024 * 1024,
  diskBytes: 8 * 1024 ** 3,
  // What Porter gives its own run tools to pack their state.
  killGraceSeconds: 30,
  memoryBytes: 1024 * 1024 * 1024,
  processes: 1024,
  cpus: 1,
  timeoutSeconds: 10_800,
}

const count = { type: 'integer', minimum: 1 }
const flag = { type: 'boolean' }
const texts = { type: 'array', items: { type: 'string' } }

const check = checkerOf({
  type: 'object',
  additionalProperties: false,
  properties: {
    allowExtensions: texts,
    allowUnpinnedImages: flag,
    allowDockerHostAccess: flag,
    dependencies: { type: 'object', additionalProperties: { type: 'string' } },
    relocation: { type: 'object', additionalProperties: { type: 'string' } },
    dependencyVersions: { enum: ['exact', 'max-patch', 'max-minor', 'min'] },
    parameterSets: { type: 'array', items: { type: 'object' } },
    service: { type: 'object' },
    outputBytes: count,
    outputsBytes: count,
    logBytes: count,
    diskBytes: { type: 'integer', minimum: 1024 * 1024 },
    killGraceSeconds: count,
    memoryBytes: count,
    processes: count,
    cpus: { type: 'number', exclusiveMinimum: 0 },
    timeoutSeconds: { type: 'integer', minimum: 1, maximum: 604_800 },
  },
})

/** What is wrong with given options. */
export function faultsOfOptions(given: JsonObject): readonly Problem[] {
  // Most have none, and a check costs more than this.
  if (Object.keys(given).length === 0) return []
  return check(given).map((fault) => ({
    code: 'cnab.options.invalid',
    detail: fault.message,
    where: { source: 'options', pointer: fault.pointer },
  }))
}

/** The given options over the usual ones; they were checked when the catalog was read. */
export function optionsOf(given: JsonObject): Options {
  const { dependencies, service } = given
  return {
    ...usualOptions,
    ...(given as Partial<Options>),
    dependencies: isObject(dependencies) ? (dependencies as Options['dependencies']) : {},
    service: isObject(service) ? (service as JsonObject) : {},
  }
}

/** The limits of a run. */
export function limitsOf(options: Options): Limits {
  return limitsFor(options, options.timeoutSeconds)
}
