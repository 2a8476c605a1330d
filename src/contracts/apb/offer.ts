/** Fits a plan to what its operator decided: schemas and forms of what is left open, and faults of the operator's values. */
import { present } from '../../kit/present.ts'
import type { Package, Plan } from '../../model/package.ts'
import type { Problem } from '../../model/problem.ts'
import type { PlanFit } from '../contract.ts'
import { specPlanOf } from './notes.ts'
import { faultsOfOptions, optionsOf } from './options.ts'
import { metadataWithForms, schemasOf } from './schemas.ts'
import { judgeValues } from './values.ts'

export function offerApb(pkg: Package, plan: Plan): PlanFit {
  const { operator } = plan
  const faults = faultsOfOptions(operator.options)
  if (faults.length > 0) return { plan, problems: faults }
  const options = optionsOf(operator.options)
  const specPlan = specPlanOf(pkg, plan)
  const { schemas: forms } = metadataWithForms(specPlan, operator, options)
  return {
    plan: {
      ...plan,
      metadata: { ...plan.metadata, ...present({ schemas: forms }) },
      schemas: schemasOf(specPlan, operator, options),
    },
    problems: faultsOfValues(specPlan.parameters, operator),
  }
}

/** The operator's values may be templates, and nothing is missing that users may still send. */
function faultsOfValues(
  parameters: Parameters<typeof judgeValues>[1],
  { inputs, defaults }: Plan['operator'],
): readonly Problem[] {
  const optional = parameters.map((parameter) => ({ ...parameter, required: false }))
  const manner = { defaults: {}, templates: 'allow' } as const
  return judgeValues({ ...defaults, ...inputs }, optional, manner).problems.map((problem) => ({
    ...problem,
    code: 'apb.plan.invalid',
    where: { ...problem.where, source: 'inputs' },
  }))
}
