/** The `sim` parameter: how long pretended work takes and how it ends. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { checkerOf } from '../../kit/schema.ts'

export interface Pretence {
  /** -1: until it is stopped. */
  readonly milliseconds: number
  readonly fails: boolean
  /** A log line this often. */
  readonly logEveryMs?: number
}

export type Phase = 'create' | 'update' | 'delete'

/** What the parameters say about one phase; what they leave out takes no time and succeeds. */
export function pretenceOf(parameters: JsonObject, phase: Phase): Pretence {
  const sim = parameters['sim']
  const told = isObject(sim) ? sim[phase] : undefined
  if (!isObject(told)) return { milliseconds: 0, fails: false }
  const every = told['log_every_ms']
  return {
    milliseconds: typeof told['ms'] === 'number' ? told['ms'] : 0,
    fails: told['outcome'] === 'fail',
    ...(typeof every === 'number' ? { logEveryMs: every } : {}),
  }
}

/** Faults of the `sim` parameter, each with its pointer. */
export function faultsOf(
  parameters: JsonObject,
): readonly { readonly pointer: string; readonly message: string }[] {
  const sim = parameters['sim']
  if (sim === undefined) return []
  return checkSim(sim).map((fault) => ({ ...fault, pointer: `/sim${fault.pointer}` }))
}

const phase = {
  type: 'object',
  properties: {
    ms: { type: 'integer', minimum: -1, maximum: 86_400_000 },
    outcome: { type: 'string', enum: ['succeed', 'fail'] },
    log_every_ms: { type: 'integer', minimum: 10 },
  },
  additionalProperties: false,
}

const checkSim = checkerOf({
  type: 'object',
  properties: { create: phase, update: phase, delete: phase },
  additionalProperties: false,
})
