/** What tools for authors ask of a pattern that was read. */
import type { JsonObject } from '../../kit/json.ts'
import { noChoice, type Package } from '../../model/package.ts'
import type { Problem } from '../../model/problem.ts'
import { inputSchema } from './inputs.ts'
import { mergeInputs } from './merge.ts'
import type { Notes } from './read.ts'

/** The metadata as it was understood. */
export function patternNotes({ notes }: Package): Notes['metadata'] {
  return (notes as unknown as Notes).metadata
}

/** What is wrong with the parameters of an order, where the operator has decided nothing. */
export function faultsOfParameters(pkg: Package, parameters: JsonObject): readonly Problem[] {
  const merged = mergeInputs(inputSchema(patternNotes(pkg).inputs), noChoice, parameters)
  return merged.kind === 'refused' ? merged.problems : []
}
