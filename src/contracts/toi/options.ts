/** What an operator may say about a package or a plan of it, beside the values of its parameters. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { checkerOf } from '../../kit/schema.ts'
import { type Limits, limitsFor } from '../../model/job.ts'
import type { Problem } from '../../model/problem.ts'
import type { ChoiceOrder } from './choose.ts'
import type { Identity } from './format.ts'

export interface Options {
  /** Which package of the component: attributes that must fit. */
  readonly package: Identity
  /** What the package calls the actions of a life; absent ones are found. */
  readonly actions: Readonly<Partial<Record<LifeAction, string>>>
  /** Which executor where several would do: the first, as is documented, or as the original chooses. */
  readonly executor: ChoiceOrder
  /** Outputs that applications get; absent: all. */
  readonly credentials?: readonly string[]
  /** Parameters may hold expressions: only for users that may read the credentials, too. */
  readonly expressions: boolean
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

export type LifeAction = 'provision' | 'update' | 'deprovision' | 'bind' | 'unbind'

const usual: Options = {
  package: {},
  actions: {},
  executor: 'first',
  expressions: false,
  outputBytes: 1024 * 1024,
  outputsBytes: 8 * 1024 * 1024,
  logBytes: 16 * 1024 * 1024,
  diskBytes: 8 * 1024 ** 3,
  killGraceSeconds: 30,
  memoryBytes: 1024 * 1024 * 1024,
  processes: 1024,
  cpus: 1,
  timeoutSeconds: 10_800,
}

const count = { type: 'integer', minimum: 1 }
const text = { type: 'string', minLength: 1 }

const check = checkerOf({
  type: 'object',
  additionalProperties: false,
  properties: {
    package: { type: 'object', additionalProperties: { type: 'string' } },
    actions: {
      type: 'object',
      additionalProperties: false,
      properties: { provision: text, update: text, deprovision: text, bind: text, unbind: text },
    },
    executor: { enum: ['first', 'last'] },
    credentials: { type: 'array', items: { type: 'string' } },
    expressions: { type: 'boolean' },
    outputBytes: count,
    outputsBytes: count,
    logBytes: count,
    diskBytes: { type: 'integer', minimum: 1024 * 1024 },
    killGraceSeconds: count,
    memoryBytes: { type: 'integer', minimum: 4 * 1024 * 1024 },
    processes: count,
    cpus: { type: 'number', exclusiveMinimum: 0 },
    timeoutSeconds: { type: 'integer', minimum: 1, maximum: 604_800 },
  },
})

/** What is wrong with given options. */
export function faultsOfOptions(given: JsonObject): readonly Problem[] {
  // Most have none, and a check costs more than this.
  if (Object.keys(given).length === 0) return []
  return check(given).map(({ message, pointer }) => ({
    code: 'toi.options.invalid',
    detail: message,
    where: { source: 'options', pointer },
  }))
}

/** The given options over the usual ones; they were checked when the catalog was read. */
export function optionsOf(given: JsonObject): Options {
  const { actions } = given
  return {
    ...usual,
    ...(given as Partial<Options>),
    package: isObject(given['package']) ? (given['package'] as Identity) : {},
    actions: isObject(actions) ? (actions as Options['actions']) : {},
  }
}

/** The limits of a run. */
export function limitsOf(options: Options): Limits {
  return limitsFor(options, options.timeoutSeconds)
}
