/** Parameters for dependencies are named `alias#name`: whether there is such a dependency. */
import { pointer } from '../../kit/json.ts'
import type { Problem } from '../../model/problem.ts'
import type { Situation } from '../../model/situation.ts'
import { notesOf } from './notes.ts'

/** Problems: cnab.parameter.undefined. */
export function unknownAddressees({ package: pkg, parameters, plan }: Situation): readonly Problem[] {
  const aliases = notesOf(pkg).dependencies.map(({ alias }) => alias)
  const names = Object.keys({ ...plan.operator.defaults, ...parameters, ...plan.operator.inputs })
  return names.flatMap((name): readonly Problem[] => {
    const sign = name.lastIndexOf('#')
    const alias = name.slice(0, Math.max(0, sign)).replaceAll('#', '/')
    if (sign < 0 || aliases.includes(alias)) return []
    const detail = `the bundle does not depend on ${JSON.stringify(alias)}`
    const where = { source: 'parameters', pointer: pointer('', name) }
    return [{ code: 'cnab.parameter.undefined', detail, where }]
  })
}
