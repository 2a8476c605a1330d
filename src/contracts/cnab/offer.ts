/** Fits a plan to what its operator decided: what users may still send, and values that cannot be. */
import type { Package, Plan } from '../../model/package.ts'
import type { PlanFit } from '../contract.ts'
import { bundleIn, notesOf } from './notes.ts'
import { faultsOfOptions, optionsOf } from './options.ts'
import { planSchemas } from './package.ts'
import { faultsOfValues } from './plan-faults.ts'
import { serviceHints } from './service-hints.ts'

/** Problems: cnab.plan.invalid, cnab.options.invalid. */
export function offerCnab(pkg: Package, plan: Plan): PlanFit {
  const { operator } = plan
  const problems = faultsOfOptions(operator.options)
  const bundle = bundleIn(notesOf(pkg))
  if (bundle === undefined || problems.length > 0) return { plan, problems }
  const hints = serviceHints(bundle, optionsOf(operator.options).service)
  return {
    plan: { ...plan, schemas: planSchemas(bundle, hints, operator) },
    problems: [
      ...faultsOfValues(bundle, operator.inputs, 'inputs'),
      ...faultsOfValues(bundle, operator.defaults, 'defaults'),
    ],
  }
}
