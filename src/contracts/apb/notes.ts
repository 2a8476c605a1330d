/** What this contract remembers of a package. */
import type { Json } from '../../kit/json.ts'
import type { Package, Plan } from '../../model/package.ts'
import { optionsOf } from './options.ts'
import type { Spec, SpecPlan } from './spec.ts'

export interface Notes {
  readonly reference: string
  readonly runtime: number
  readonly spec: Spec
}

export function notesJson(notes: Notes): Json {
  return notes as unknown as Json
}

export function notesOf({ notes }: Pick<Package, 'notes'>): Notes {
  return notes as unknown as Notes
}

/** The plan of the spec that an offered plan was made from. */
export function specPlanOf(pkg: Pick<Package, 'notes'>, plan: Pick<Plan, 'name' | 'operator'>): SpecPlan {
  const { spec } = notesOf(pkg)
  const { plan: name } = optionsOf(plan.operator.options)
  return spec.plans.find((one) => one.name === name) ?? spec.plans[0] ?? emptyPlan
}

const emptyPlan: SpecPlan = {
  name: '',
  description: '',
  metadata: {},
  free: false,
  parameters: [],
  bindParameters: [],
  updatesTo: [],
}
