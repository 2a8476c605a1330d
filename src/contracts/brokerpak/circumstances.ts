/** Everything a pak's action needs, gathered once: definition, plan, options, state, what earlier runs kept. */
import { parseJson } from '../../kit/exact.ts'
import { isObject, type JsonObject } from '../../kit/json.ts'
import type { Problem } from '../../model/problem.ts'
import type { Situation } from '../../model/situation.ts'
import type { Definition } from './definition.ts'
import { lent } from './functions.ts'
import type { Dialect } from './manifest-faults.ts'
import { type Notes, notesOf } from './notes.ts'
import { type PakOptions, pakOptions } from './options.ts'
import type { PlanMemory } from './package.ts'
import type { Kept } from './resolver.ts'
import { keptName, type State, stateOf } from './state.ts'

export interface Circumstances {
  readonly situation: Situation
  readonly notes: Notes
  readonly definition: Definition
  readonly options: PakOptions
  readonly dialect: Dialect
  /** The plan with what the operator fixed in it. */
  readonly plan: Pick<PlanMemory, 'properties' | 'provisionOverrides' | 'bindOverrides'>
  /** Of the instance. */
  readonly state: State
  readonly memory: Memory
}

/** What a run leaves beside the state. */
interface Memory {
  readonly kept: { readonly [name: string]: Kept }
  /** The variables of the last run, for a destroy whose own cannot be found any more. */
  readonly configuration: JsonObject
}

/** Problems: pak.definition.missing, pak.environment.missing. */
export function circumstancesOf(
  situation: Situation,
):
  | { readonly kind: 'ready'; readonly around: Circumstances }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] } {
  const notes = notesOf(situation.package)
  const { operator } = situation.plan
  const options = pakOptions(operator.options)
  const memory = operator.options['plan'] as unknown as PlanMemory | undefined
  const name = memory?.service ?? situation.service.name
  const definition = notes.definitions.find((one) => one.name === name)
  if (definition === undefined)
    return { kind: 'refused', problems: [{ code: 'pak.definition.missing', detail: name }] }
  const [first, ...rest] = notes.manifest.requiredEnvironment
    .filter((variable) => lent(situation, options, variable) === undefined)
    .map(
      (variable): Problem => ({
        code: 'pak.environment.missing',
        detail: `missing required env var ${variable}`,
      }),
    )
  if (first) return { kind: 'refused', problems: [first, ...rest] }
  return {
    kind: 'ready',
    around: {
      situation,
      notes,
      definition,
      options,
      dialect: options.strict ?? 'ours',
      plan: {
        properties: { ...memory?.properties, ...operator.inputs },
        provisionOverrides: memory?.provisionOverrides ?? {},
        bindOverrides: memory?.bindOverrides ?? {},
      },
      state: stateOf(situation.carryover),
      memory: memoryOf((situation.binding?.carryover ?? situation.carryover)[keptName]),
    },
  }
}

/** Reads what a run has left; anything else is as if it had left nothing. */
function memoryOf(bytes: Uint8Array | undefined): Memory {
  const read = bytes === undefined ? undefined : parsed(Buffer.from(bytes).toString())
  const map = isObject(read) ? read : {}
  return {
    kept: isObject(map['kept']) ? (map['kept'] as Memory['kept']) : {},
    configuration: isObject(map['configuration']) ? (map['configuration'] as JsonObject) : {},
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
