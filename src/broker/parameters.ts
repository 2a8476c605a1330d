/** Whether a user's parameters may be taken: the plan's schema, and what the operator fixed or closed. */
import { type JsonObject, pointer } from '../kit/json.ts'
import { compileSchema } from '../kit/schema.ts'
import type { Plan, PlanSchemas } from '../model/package.ts'
import { failAll, type Problem } from '../model/problem.ts'
import { partSecrets } from './secret-values.ts'

/** Throws all faults at once. */
export function checkParameters(
  parameters: JsonObject,
  schema: JsonObject | undefined,
  source = 'parameters',
): void {
  const compiled = schema && compileSchema(schema)
  if (compiled === undefined || compiled.kind === 'refused') return
  failAll(
    compiled.check(parameters).map(
      (fault): Problem => ({
        code: 'parameters.invalid',
        detail: fault.message,
        where: { source, pointer: fault.pointer },
      }),
    ),
  )
}

/** The schema that the broker holds parameters to; none where the contract judges them itself. */
export function judgingSchema(plan: Plan, which: keyof PlanSchemas): JsonObject | undefined {
  return plan.parametersCheckedBy === 'contract' ? undefined : plan.schemas[which]
}

/** Refuses names that the operator has fixed or not opened, even when the value would be the same. */
export function checkOpen(parameters: JsonObject, { operator }: Plan): void {
  const faults = Object.keys(parameters).flatMap((name): readonly Problem[] => {
    const where = { source: 'parameters', pointer: pointer('', name) }
    if (Object.hasOwn(operator.inputs, name)) {
      return [{ code: 'parameters.invalid', detail: 'is fixed by the operator', where }]
    }
    if (operator.allow !== undefined && !operator.allow.includes(name)) {
      return [{ code: 'parameters.invalid', detail: 'may not be set on this plan', where }]
    }
    return []
  })
  failAll(faults)
}

/** The merged parameters of an update: key by key, null removes. */
export function mergeParameters(stored: JsonObject, given: JsonObject): JsonObject {
  const merged = new Map(Object.entries(stored))
  for (const [name, value] of Object.entries(given)) {
    if (value === null) merged.delete(name)
    else merged.set(name, value)
  }
  return Object.fromEntries(merged)
}

/** The parameters without what any of the schemas marks as secret. */
export function shownParameters(
  parameters: JsonObject,
  ...schemas: readonly (JsonObject | undefined)[]
): JsonObject {
  return (partSecrets(parameters, schemas).shown ?? {}) as JsonObject
}
