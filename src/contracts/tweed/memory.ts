/** What an instance and its bindings keep between operations: $INPUTS byte for byte, $CREDSTORE, what bind printed. */
import type { JsonObject } from '../../kit/json.ts'
import type { Situation } from '../../model/situation.ts'
import { inputSchema } from './inputs.ts'
import { type Merged, mergeInputs } from './merge.ts'
import type { Notes } from './read.ts'

/** Names in the carryover of an instance. */
export const keptInputs = 'inputs'
export const keptCredstore = 'credstore'
/** Name in the carryover of a binding. */
export const keptBinding = 'binding'

export function notesOf({ package: pkg }: Situation): Notes {
  return pkg.notes as unknown as Notes
}

/** The inputs that a provision in this situation gets. */
export function mergedInputs(situation: Situation): Merged {
  const declared = inputSchema(notesOf(situation).metadata.inputs)
  return mergeInputs(declared, situation.plan.operator, situation.instance.parameters)
}

/** The bytes of $INPUTS for inputs. */
export function inputBytes(inputs: JsonObject): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(inputs)}\n`)
}

/**
 * The inputs that the instance was provisioned with, though its plan may have changed since:
 * names and namespaces are computed from them. Only a provision that was lost has left none.
 */
export function inputsOfInstance(situation: Situation): Uint8Array {
  const kept = situation.carryover[keptInputs]
  if (kept) return kept
  const merged = mergedInputs(situation)
  return inputBytes(merged.kind === 'inputs' ? merged.inputs : situation.instance.parameters)
}

/** $BINDING: exactly what bind printed, and {} where it printed nothing that could be kept. */
export function bindingOf({ binding }: Situation): Uint8Array {
  return binding?.carryover[keptBinding] ?? new TextEncoder().encode('{}\n')
}
