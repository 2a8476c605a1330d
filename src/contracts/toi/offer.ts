/** Fits a plan to what its operator decided: the schema of what users may still send, and faults of the operator's options. */
import { draftFour, draftFourName } from '../../kit/draft-four.ts'
import { isObject, type JsonObject } from '../../kit/json.ts'
import type { OperatorChoice, Package, Plan } from '../../model/package.ts'
import type { PlanFit } from '../contract.ts'
import { notesOf } from './notes.ts'
import { faultsOfOptions } from './options.ts'

export function offerToi(pkg: Package, plan: Plan): PlanFit {
  const { create: _, update: __, ...others } = plan.schemas
  const schema = publishedSchema(notesOf(pkg).layers.scheme, plan.operator)
  return {
    plan: {
      ...plan,
      schemas: { ...others, ...(schema === undefined ? {} : { create: schema, update: schema }) },
    },
    problems: faultsOfOptions(plan.operator.options),
  }
}

/** As every platform reads it, without what users cannot set or need not. */
export function publishedSchema(
  scheme: JsonObject | undefined,
  { inputs, defaults, allow }: OperatorChoice,
): JsonObject | undefined {
  if (scheme === undefined) return undefined
  const { $schema: _, ...plain } = draftFour(scheme)
  const { properties, required, ...rest } = plain
  const isOpen = (name: string): boolean =>
    !Object.hasOwn(inputs, name) && (allow === undefined || allow.includes(name))
  const open = isObject(properties)
    ? Object.entries(properties as JsonObject).filter(([name]) => isOpen(name))
    : []
  const needed = (Array.isArray(required) ? required : []).filter(
    (name) => typeof name === 'string' && isOpen(name) && !Object.hasOwn(defaults, name),
  )
  return {
    $schema: draftFourName,
    ...rest,
    ...(isObject(properties) ? { properties: Object.fromEntries(open) } : {}),
    ...(needed.length === 0 ? {} : { required: needed }),
  }
}
