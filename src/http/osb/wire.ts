/** OSB bodies: parsed into the broker's words, every fault at once, and printed from them. */
import type { BindRequest } from '../../broker/bind.ts'
import type { BindingView, InstanceView } from '../../broker/look.ts'
import type { ProvisionRequest } from '../../broker/provision.ts'
import type { UpdateRequest } from '../../broker/update.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Instance } from '../../model/instance.ts'
import { hasEnded, type OperationState } from '../../model/operation.ts'
import type { BindingAnswer } from '../../model/outcome.ts'
import { failAll, type Problem } from '../../model/problem.ts'
import type { Polled } from '../../store/store.ts'

type Body = Readonly<Record<string, unknown>>

/** Reads a provision request. */
export function parseProvision(
  instance: string,
  body: JsonObject,
  acceptsIncomplete: boolean,
): ProvisionRequest {
  const faults: Problem[] = []
  const request = {
    instance,
    acceptsIncomplete,
    serviceId: required(body, 'service_id', faults),
    planId: required(body, 'plan_id', faults),
    organization: required(body, 'organization_guid', faults),
    space: required(body, 'space_guid', faults),
    parameters: object(body, 'parameters', faults) ?? {},
    context: object(body, 'context', faults) ?? {},
    ...maintenanceIn(body, faults),
  }
  failAll(faults)
  return request
}

/** Reads an update request. */
export function parseUpdate(instance: string, body: JsonObject, acceptsIncomplete: boolean): UpdateRequest {
  const faults: Problem[] = []
  const planId = optional(body, 'plan_id', faults)
  const parameters = object(body, 'parameters', faults)
  const context = object(body, 'context', faults)
  object(body, 'previous_values', faults)
  const request = {
    instance,
    acceptsIncomplete,
    serviceId: required(body, 'service_id', faults),
    ...present({ planId, parameters, context }),
    ...maintenanceIn(body, faults),
  }
  failAll(faults)
  return request
}

/** Reads a bind or rotation request; a rotation may leave its ids to the predecessor. */
export function parseBind(
  ids: { readonly instance: string; readonly binding: string },
  body: JsonObject,
  acceptsIncomplete: boolean,
): BindRequest {
  const faults: Problem[] = []
  const predecessor = optional(body, 'predecessor_binding_id', faults)
  const read = predecessor === undefined ? required : optional
  const serviceId = read(body, 'service_id', faults)
  const planId = read(body, 'plan_id', faults)
  const parameters = object(body, 'parameters', faults)
  const context = object(body, 'context', faults)
  const resource = resourceIn(body, faults)
  failAll(faults)
  return {
    ...ids,
    acceptsIncomplete,
    ...present({ serviceId, planId, parameters, context, resource, predecessor }),
  }
}

/** The application may be named in bind_resource or in the old field. */
function resourceIn(body: JsonObject, faults: Problem[]): JsonObject | undefined {
  const resource = object(body, 'bind_resource', faults)
  const app = optional(body, 'app_guid', faults)
  if (resource?.['app_guid'] !== undefined && typeof resource['app_guid'] !== 'string') {
    faults.push(malformed('/bind_resource/app_guid', 'must be a string'))
  }
  return app === undefined ? resource : { app_guid: app, ...resource }
}

/** An object without a version counts as absent: generated clients always send it. */
function maintenanceIn(body: JsonObject, faults: Problem[]): { readonly maintenance?: string } {
  const info = object(body, 'maintenance_info', faults)
  const version = info?.['version']
  if (version === undefined || version === null || version === '') return {}
  if (typeof version === 'string') return { maintenance: version }
  faults.push(malformed('/maintenance_info/version', 'must be a string'))
  return {}
}

function required(body: JsonObject, name: string, faults: Problem[]): string {
  const value = body[name]
  if (typeof value === 'string' && value !== '' && storable(value)) return value
  const missing = value === undefined || value === null || value === ''
  faults.push(malformed(`/${name}`, missing ? 'is required' : 'must be a string'))
  return ''
}

function optional(body: JsonObject, name: string, faults: Problem[]): string | undefined {
  const value = body[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string' && storable(value)) return value
  faults.push(malformed(`/${name}`, 'must be a string'))
  return undefined
}

/** Databases refuse NUL, and half a surrogate pair is no text. */
function storable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function object(body: JsonObject, name: string, faults: Problem[]): JsonObject | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (isObject(value)) return value as JsonObject
  faults.push(malformed(`/${name}`, 'must be an object'))
  return undefined
}

function malformed(pointer: string, detail: string): Problem {
  return { code: 'request.malformed', detail, where: { source: 'body', pointer } }
}

/** What provision and update answer about an instance. */
export function instanceAnswer(instance: Instance): Body {
  const { dashboardUrl, labels, attributes } = instance
  return {
    ...present({ dashboard_url: dashboardUrl }),
    ...(labels || attributes
      ? { metadata: { ...(labels ? { labels } : {}), ...(attributes ? { attributes } : {}) } }
      : {}),
  }
}

/** What a fetch answers about an instance. */
export function instanceBody({ instance, parameters }: InstanceView): Body {
  const { serviceId, planId, maintenance } = instance
  return {
    service_id: serviceId,
    plan_id: planId,
    ...instanceAnswer(instance),
    parameters,
    ...(maintenance === undefined ? {} : { maintenance_info: { version: maintenance } }),
  }
}

/** What bind answers. */
export function bindingAnswer(answer: BindingAnswer): Body {
  const metadata = {
    ...present({ expires_at: answer.expiresAt, renew_before: answer.renewBefore }),
  }
  return {
    ...present({
      credentials: answer.credentials,
      syslog_drain_url: answer.syslogDrainUrl,
      route_service_url: answer.routeServiceUrl,
      volume_mounts: answer.volumeMounts,
      endpoints: answer.endpoints,
    }),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  }
}

/** What a fetch answers about a binding. */
export function bindingBody({ answer, parameters }: BindingView): Body {
  return { ...bindingAnswer(answer), parameters }
}

/** The three states the API knows. */
export function wireState(state: OperationState): 'in progress' | 'succeeded' | 'failed' {
  if (!hasEnded(state)) return 'in progress'
  return state === 'succeeded' ? 'succeeded' : 'failed'
}

/** What a poll answers; the two judgements only where they are legal. */
export function polledBody(polled: Polled): Readonly<Record<string, Json>> {
  const state = wireState(polled.state)
  const { action, usable, repeatable, description } = polled
  const judges = state === 'failed' && (action === 'update' || action === 'deprovision')
  return {
    state,
    ...(description === undefined || description === '' ? {} : { description }),
    ...(judges ? { instance_usable: usable ?? true } : {}),
    ...(judges && action === 'update' ? { update_repeatable: repeatable ?? true } : {}),
  }
}
