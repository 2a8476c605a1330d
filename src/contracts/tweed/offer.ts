/** Fits a plan to what its operator decided: the schema of what users may send, and faults of the operator's values. */
import { present } from '../../kit/present.ts'
import type { Package, Plan } from '../../model/package.ts'
import type { PlanFit } from '../contract.ts'
import { inputSchema } from './inputs.ts'
import { faultsOfPlan } from './merge.ts'
import { faultsOfOptions } from './options.ts'
import { publishedSchema } from './osb-schema.ts'
import type { Notes } from './read.ts'

export function offerTweed(pkg: Package, plan: Plan): PlanFit {
  const { metadata } = pkg.notes as unknown as Notes
  const declared = inputSchema(metadata.inputs)
  const create = publishedSchema(declared, plan.operator)
  const { create: _, ...schemas } = plan.schemas
  return {
    plan: { ...plan, schemas: { ...schemas, ...present({ create }) } },
    problems: [...faultsOfPlan(declared, plan.operator), ...faultsOfOptions(plan.operator.options)],
  }
}
