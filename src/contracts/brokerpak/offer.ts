/** Fits a plan to what its operator decided: what it still lacks, and options that cannot be. */
import type { Package, Plan } from '../../model/package.ts'
import type { Problem } from '../../model/problem.ts'
import type { PlanFit } from '../contract.ts'
import { notesOf } from './notes.ts'
import { optionFaults } from './options.ts'
import type { PlanMemory } from './package.ts'

/** Problems: pak.plan.incomplete, pak.options.invalid. */
export function offerPak(pkg: Package, plan: Plan): PlanFit {
  const memory = plan.operator.options['plan'] as unknown as PlanMemory | undefined
  const definition = notesOf(pkg).definitions.find(({ name }) => name === memory?.service)
  const given = { ...memory?.properties, ...plan.operator.inputs }
  const lacking = (definition?.provision.planInputs ?? []).filter(
    ({ name, required }) => required && !Object.hasOwn(given, name),
  )
  const incomplete = lacking.map(
    ({ name, details }): Problem => ({
      code: 'pak.plan.incomplete',
      detail: `${plan.name}: ${name} (${details})`,
    }),
  )
  return { plan, problems: [...incomplete, ...optionFaults(plan.operator.options)] }
}
