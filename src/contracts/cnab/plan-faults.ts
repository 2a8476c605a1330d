/** Whether the values that an operator or a bundle fixed for plans can be had at all. */
import type { Json, JsonObject } from '../../kit/json.ts'
import type { Problem } from '../../model/problem.ts'
import { type Bundle, definitionOf } from './bundle.ts'
import { faultsOf } from './definition.ts'
import type { Options } from './options.ts'
import { serviceHints } from './service-hints.ts'
import { readValueSet, valueFor } from './value-sets.ts'

/** Of the plans that the bundle and its options make. Problems: cnab.plan.invalid, cnab.set.invalid. */
export function planFaults(bundle: Bundle, options: Options): readonly Problem[] {
  const hints = serviceHints(bundle, options.service)
  const named = (Array.isArray(hints.plans) ? hints.plans : []).flatMap(({ name, parameters = {} }) =>
    faultsOfValues(bundle, parameters, `plan ${name}`),
  )
  const sets = options.parameterSets.flatMap((document, i) => faultsOfSet(bundle, document, i))
  return [...named, ...sets]
}

/** A plan is offered to everybody: values that lie elsewhere would have to be read for each of its instances. */
function faultsOfSet(bundle: Bundle, document: Json, index: number): readonly Problem[] {
  const source = `options/parameterSets/${index}`
  const read = readValueSet(document, 'parameters')
  if (read.kind === 'refused')
    return read.problems.map((problem) => ({ ...problem, where: { ...problem.where, source } }))
  const elsewhere = read.set.entries.filter(({ value }) => value === undefined)
  return [
    ...elsewhere.map(
      ({ name }): Problem => ({
        code: 'cnab.set.invalid',
        detail: `${name}: the parameter sets of plans hold values only`,
        where: { source },
      }),
    ),
    ...faultsOfValues(bundle, valuesOfSet(bundle, document), source),
  ]
}

/** The typed values of a parameter set that holds nothing but values. */
export function valuesOfSet(bundle: Bundle, document: Json): JsonObject {
  const read = readValueSet(document, 'parameters')
  if (read.kind === 'refused') return {}
  return Object.fromEntries(
    read.set.entries.flatMap(({ name, value }): readonly [string, Json][] => {
      if (value === undefined) return []
      const parameter = Object.hasOwn(bundle.parameters, name) ? bundle.parameters[name] : undefined
      const typed = parameter && valueFor(definitionOf(bundle, parameter), value)
      return [[name, typed?.kind === 'value' ? typed.value : value]]
    }),
  )
}

/** What is wrong with values for parameters of a bundle. */
export function faultsOfValues(bundle: Bundle, values: JsonObject, source: string): readonly Problem[] {
  return Object.entries(values).flatMap(([name, value]): readonly Problem[] => {
    // Those of a dependency are judged when it is run.
    if (name.includes('#')) return []
    const parameter = Object.hasOwn(bundle.parameters, name) ? bundle.parameters[name] : undefined
    if (parameter === undefined)
      return [{ code: 'cnab.plan.invalid', detail: `undefined parameter ${name}`, where: { source } }]
    return faultsOf(definitionOf(bundle, parameter), value).map(({ pointer, message }) => ({
      code: 'cnab.plan.invalid',
      detail: `${name}${pointer} ${message}`,
      where: { source },
    }))
  })
}
