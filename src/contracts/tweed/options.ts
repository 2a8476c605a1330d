/** The options an operator may give to a pattern or one of its plans: limits, time, and what the contract leaves open. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { checkerOf } from '../../kit/schema.ts'
import { type Limits, limitsFor } from '../../model/job.ts'
import type { Problem } from '../../model/problem.ts'
import type { TweedOperation } from './places.ts'

export interface Options {
  readonly credstoreBytes: number
  readonly credstoreEntries: number
  /** Of metadata and bind. */
  readonly stdoutBytes: number
  /** What is kept of one file of $OUTPUTS, of all of them, and how many. */
  readonly outputFileBytes: number
  readonly outputBytes: number
  readonly outputEntries: number
  readonly logBytes: number
  /** What a run may write, all files together. */
  readonly diskBytes: number
  readonly killGraceSeconds: number
  readonly memoryBytes: number
  readonly processes: number
  readonly cpus: number
  readonly timeoutSeconds: Readonly<Record<TweedOperation, number>>
  /** $INPUTS in bind and unbind, too: ported stencils read their names there. */
  readonly inputsInBind: boolean
  /** Bindings of one instance are made and removed at the same time; the usual is one after another. */
  readonly bindsInParallel: boolean
  /** CHANDLER_INSTANCE_ID, CHANDLER_SERVICE_ID and CHANDLER_PLAN_ID; the contract tells a pattern none of them. */
  readonly identity: boolean
  /** Further credentials for clients: texts with {{name}} for what bind printed. */
  readonly credentials: Readonly<Record<string, string>>
}

export const usualOptions: Options = {
  // Fits a Kubernetes secret even in base64.
  credstoreBytes: 512 * 1024,
  credstoreEntries: 4096,
  stdoutBytes: 1024 * 1024,
  outputFileBytes: 1024 * 1024,
  outputBytes: 16 * 1024 * 1024,
  outputEntries: 1000,
  logBytes: 10 * 1024 * 1024,
  diskBytes: 8 * 1024 ** 3,
  killGraceSeconds: 10,
  memoryBytes: 512 * 1024 * 1024,
  processes: 512,
  cpus: 1,
  // A pattern in the wild waits two hours for its cluster.
  timeoutSeconds: { metadata: 60, provision: 10_800, bind: 900, unbind: 900, deprovision: 10_800 },
  inputsInBind: false,
  bindsInParallel: false,
  identity: false,
  credentials: {},
}

const count = { type: 'integer', minimum: 1 }
const seconds = { type: 'integer', minimum: 1, maximum: 604_800 }
const flag = { type: 'boolean' }

const check = checkerOf({
  type: 'object',
  additionalProperties: false,
  properties: {
    credstoreBytes: count,
    credstoreEntries: count,
    stdoutBytes: count,
    outputFileBytes: count,
    outputBytes: count,
    outputEntries: count,
    logBytes: count,
    diskBytes: { type: 'integer', minimum: 1024 * 1024 },
    killGraceSeconds: { type: 'integer', minimum: 0, maximum: 600 },
    memoryBytes: { type: 'integer', minimum: 4 * 1024 * 1024 },
    processes: count,
    cpus: { type: 'number', exclusiveMinimum: 0 },
    timeoutSeconds: {
      type: 'object',
      additionalProperties: false,
      properties: {
        metadata: seconds,
        provision: seconds,
        bind: seconds,
        unbind: seconds,
        deprovision: seconds,
      },
    },
    inputsInBind: flag,
    bindsInParallel: flag,
    identity: flag,
    credentials: { type: 'object', additionalProperties: { type: 'string' } },
  },
})

/** What is wrong with given options. */
export function faultsOfOptions(given: JsonObject): readonly Problem[] {
  // Most plans have none, and a check costs more than this.
  if (Object.keys(given).length === 0) return []
  return check(given).map((fault) => ({
    code: 'tweed.options-invalid',
    detail: fault.message,
    where: { source: 'options', pointer: fault.pointer },
  }))
}

/** The given options over the usual ones; they were checked when the catalog was read. */
export function optionsOf(given: JsonObject): Options {
  const timeoutSeconds = given['timeoutSeconds']
  return {
    ...usualOptions,
    ...(given as Partial<Options>),
    timeoutSeconds: { ...usualOptions.timeoutSeconds, ...(isObject(timeoutSeconds) ? timeoutSeconds : {}) },
  }
}

/** The limits of one operation. */
export function limitsOf(options: Options, operation: TweedOperation): Limits {
  return limitsFor(options, options.timeoutSeconds[operation])
}
