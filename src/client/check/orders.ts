/** The orders that a check places: bodies with what the version knows, and the things that they would make. */
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Thing } from './ledger.ts'
import type { OfferedPlan } from './offers.ts'
import type { Minor } from './rules.ts'
import type { Session } from './session.ts'

/** A plan that is ordered, with parameters that it takes. */
export interface ChosenPlan extends OfferedPlan {
  readonly parameters: {
    readonly create: JsonObject
    /** Others that are valid, too; absent where none are known. */
    readonly otherCreate?: JsonObject
    readonly brokenCreate?: JsonObject
    readonly update?: JsonObject
    readonly otherUpdate?: JsonObject
    readonly bind: JsonObject
    readonly otherBind?: JsonObject
  }
  /** Another plan of the service that instances may move to. */
  readonly sibling?: OfferedPlan & { readonly create: JsonObject }
}

const owner = {
  organization_guid: '0a1b2c3d-0000-4000-8000-00000000c4ec',
  space_guid: '0a1b2c3d-0000-4000-8000-00000000c4ed',
}
const context = { platform: 'cloudfoundry', ...owner }
export const accepts = { accepts_incomplete: 'true' }

export function instanceThing(plan: OfferedPlan, id: string): Thing {
  return {
    path: `/v2/service_instances/${encodeURIComponent(id)}`,
    serviceId: plan.serviceId,
    planId: plan.planId,
    ...present({ pollingMs: plan.pollingMs }),
  }
}

export function bindingThing(instance: Thing, id: string): Thing {
  return { ...instance, path: `${instance.path}/service_bindings/${encodeURIComponent(id)}` }
}

export function provisionBody(plan: OfferedPlan, parameters: JsonObject, minor: Minor): JsonObject {
  return {
    service_id: plan.serviceId,
    plan_id: plan.planId,
    ...owner,
    ...(minor >= 12 ? { context } : {}),
    ...(plan.maintenance === undefined ? {} : { maintenance_info: { version: plan.maintenance } }),
    ...given(parameters),
  }
}

export function updateBody(plan: OfferedPlan, parameters: JsonObject, minor: Minor): JsonObject {
  return {
    service_id: plan.serviceId,
    ...(minor >= 12 ? { context } : {}),
    previous_values: { plan_id: plan.planId },
    ...given(parameters),
  }
}

export function bindBody(plan: OfferedPlan, parameters: JsonObject, minor: Minor): JsonObject {
  const app_guid = '0a1b2c3d-0000-4000-8000-00000000c4ee'
  return {
    service_id: plan.serviceId,
    plan_id: plan.planId,
    app_guid,
    bind_resource: { app_guid },
    ...(minor >= 13 ? { context } : {}),
    ...given(parameters),
  }
}

/** The ids that a deletion names. */
export function idsOf({ serviceId, planId }: Thing): Readonly<Record<string, string>> {
  return { service_id: serviceId, plan_id: planId }
}

/** Whether a binding may be made or deleted in the background. */
export function acceptsForBindings({ minor }: Session): Readonly<Record<string, string>> {
  return minor >= 14 ? accepts : {}
}

export function without(body: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

function given(parameters: JsonObject): JsonObject {
  return Object.keys(parameters).length === 0 ? {} : { parameters }
}
