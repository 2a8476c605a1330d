/** What Cloud Foundry makes of a broker's answer: taken, refused under which name, and whether it cleans up after it. */
import { isObject } from '../../src/kit/json.ts'

export type CloudFoundryCall =
  | 'catalog'
  | 'provision'
  | 'update'
  | 'bind'
  | 'unbind'
  | 'deprovision'
  | 'fetch_service_instance'
  | 'fetch_service_binding'
  | 'fetch_service_instance_last_operation'
  | 'fetch_service_binding_last_operation'

export interface CloudFoundryAnswer {
  readonly status: number
  readonly text: string
  /** Permissions that the service declares. */
  readonly requires?: readonly string[]
}

export interface CloudFoundryVerdict {
  readonly verdict: 'accepted' | 'error'
  readonly error?: string
  readonly state?: string
  /** Whether it sends a DELETE for what may have been made. */
  readonly orphanMitigation: boolean
}

/** How Cloud Foundry reads an answer to one of its calls. */
export function readAsCloudFoundry(call: CloudFoundryCall, answer: CloudFoundryAnswer): CloudFoundryVerdict {
  const { status } = answer
  if (status === 401) return refused('ServiceBrokerApiAuthenticationFailed')
  if (status === 408) return refused('ServiceBrokerApiTimeout')
  switch (call) {
    case 'provision':
      return readCreation(answer, answer.status === 202 ? 'in progress' : 'succeeded', instanceFault)
    case 'bind':
      return readCreation(answer, answer.status === 202 ? undefined : 'succeeded', bindingFault)
    case 'update':
      return readUpdate(answer)
    case 'unbind':
      return readDeletion(answer, undefined)
    case 'deprovision':
      return readDeletion(answer, 'in progress')
    case 'fetch_service_instance':
      return readFetch(answer, fetchedInstance)
    case 'fetch_service_binding':
      return readFetch(answer, fetchedBinding)
    case 'catalog':
      return readPlain(answer, () => accepted())
    case 'fetch_service_instance_last_operation':
      if (status === 400) return accepted('failed')
      return status === 410 ? accepted() : readPlain(answer, readState)
    case 'fetch_service_binding_last_operation':
      return status === 410 ? accepted() : readPlain(answer, readState)
  }
}

const bad = 'ServiceBrokerBadResponse'
const malformed = 'ServiceBrokerResponseMalformed'
const rejected = 'ServiceBrokerRequestRejected'

type Body = { readonly [key: string]: unknown }
interface Fault {
  readonly error: string
  /** Cleaned up even after a 200. */
  readonly always: boolean
}

function readCreation(
  answer: CloudFoundryAnswer,
  state: string | undefined,
  faultOf: (body: Body, answer: CloudFoundryAnswer) => Fault | undefined,
): CloudFoundryVerdict {
  const { status } = answer
  if (status === 200 || status === 201 || status === 202) {
    const body = objectIn(answer.text)
    const fault = body === undefined ? { error: malformed, always: false } : faultOf(body, answer)
    return fault === undefined ? accepted(state) : refused(fault.error, fault.always || status !== 200)
  }
  if (status === 409) return refused('ServiceBrokerConflict')
  if (status === 422) {
    const named = namedError(answer.text, [
      'AsyncRequired',
      'ConcurrencyError',
      'MaintenanceInfoConflict',
      'RequiresApp',
    ])
    return named === undefined ? refused(bad, true) : refused(named === 'RequiresApp' ? 'AppRequired' : named)
  }
  return status >= 400 && status < 500 && status !== 410 ? refused(rejected) : refused(bad, true)
}

function readUpdate(answer: CloudFoundryAnswer): CloudFoundryVerdict {
  const { status } = answer
  if (status === 200 || status === 202) {
    const body = objectIn(answer.text)
    const fault = body === undefined || instanceFault(body) !== undefined
    return fault ? refused(malformed) : accepted(status === 202 ? 'in progress' : 'succeeded')
  }
  if (status === 422) {
    return refused(namedError(answer.text, ['AsyncRequired', 'MaintenanceInfoConflict']) ?? rejected)
  }
  return refused(isRejection(status) ? rejected : bad)
}

function readDeletion(answer: CloudFoundryAnswer, pending: string | undefined): CloudFoundryVerdict {
  const { status } = answer
  if (status === 410) return accepted()
  if (status === 200 || status === 202) {
    const body = objectIn(answer.text)
    if (body === undefined || !isOperation(body)) return refused(malformed)
    return accepted(status === 202 ? pending : 'succeeded')
  }
  if (status === 422) return refused(namedError(answer.text, ['AsyncRequired', 'ConcurrencyError']) ?? bad)
  return refused(isRejection(status) ? rejected : bad)
}

function readFetch(answer: CloudFoundryAnswer, fits: (body: Body) => boolean): CloudFoundryVerdict {
  if (answer.status !== 200) return refused(isRejection(answer.status) ? rejected : bad)
  const body = objectIn(answer.text)
  return body !== undefined && fits(body) ? accepted() : refused(malformed)
}

function readPlain(
  answer: CloudFoundryAnswer,
  read: (body: Body) => CloudFoundryVerdict,
): CloudFoundryVerdict {
  const { status } = answer
  if (status === 200 || status === 201 || status === 202) {
    const body = objectIn(answer.text)
    if (body === undefined) return refused(malformed)
    return status === 200 ? read(body) : refused(bad)
  }
  return refused(isRejection(status) ? rejected : bad)
}

function readState({ state }: Body): CloudFoundryVerdict {
  return state === 'in progress' || state === 'succeeded' || state === 'failed'
    ? accepted(state)
    : refused(malformed)
}

/** A refusal that says the request is to blame; some statuses are taken for a broken broker instead. */
function isRejection(status: number): boolean {
  return status >= 400 && status < 500 && ![409, 410, 422].includes(status)
}

function instanceFault(body: Body): Fault | undefined {
  const fits =
    isOperation(body) &&
    isTextOrNull(body['dashboard_url']) &&
    isObjectOrAbsent(body['metadata']) &&
    (!isObject(body['metadata']) ||
      (isObjectOrAbsent(body['metadata']['labels']) && isObjectOrAbsent(body['metadata']['attributes'])))
  return fits ? undefined : { error: malformed, always: false }
}

function bindingFault(body: Body, { requires }: CloudFoundryAnswer): Fault | undefined {
  const { credentials, syslog_drain_url: drain, route_service_url: route, volume_mounts: mounts } = body
  if (!isOperation(body) || !isObjectOrAbsent(credentials)) return { error: malformed, always: false }
  if (isThere(drain) && requires !== undefined && !requires.includes('syslog_drain'))
    return { error: 'ServiceBrokerInvalidSyslogDrainUrl', always: true }
  if (isThere(route) && !isSecureUrl(route)) return { error: bad, always: true }
  const unasked = requires !== undefined && !requires.includes('volume_mount')
  if (isThere(mounts) && (unasked || !Array.isArray(mounts) || !mounts.every(isMount)))
    return { error: 'ServiceBrokerInvalidVolumeMounts', always: true }
  return undefined
}

function fetchedInstance(body: Body): boolean {
  return (
    ['service_id', 'plan_id', 'dashboard_url'].every((key) => isTextOrAbsent(body[key])) &&
    isObjectOrAbsent(body['parameters'])
  )
}

function fetchedBinding(body: Body): boolean {
  const mounts = body['volume_mounts']
  return (
    ['parameters', 'credentials'].every((key) => isObjectOrAbsent(body[key])) &&
    ['syslog_drain_url', 'route_service_url'].every((key) => isTextOrAbsent(body[key])) &&
    (mounts === undefined || (Array.isArray(mounts) && mounts.every(isMount)))
  )
}

function isMount(mount: unknown): boolean {
  if (!isObject(mount) || !isObject(mount['device'])) return false
  const { volume_id: volume, mount_config: config } = mount['device']
  return (
    ['driver', 'container_dir', 'device_type'].every((key) => isFilled(mount[key])) &&
    (mount['mode'] === 'r' || mount['mode'] === 'rw') &&
    isFilled(volume) &&
    (!isThere(config) || isObject(config))
  )
}

function isSecureUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https:\/\/[^\s/.][^\s/]*(?:\/\S*)?$/.test(value)
}

function isOperation({ operation }: Body): boolean {
  return operation === undefined || (typeof operation === 'string' && operation.length <= 10_000)
}

function namedError(text: string, names: readonly string[]): string | undefined {
  const error = objectIn(text)?.['error']
  return names.find((name) => name === error)
}

function objectIn(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isTextOrNull(value: unknown): boolean {
  return !isThere(value) || typeof value === 'string'
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

function isObjectOrAbsent(value: unknown): boolean {
  return value === undefined || isObject(value)
}

function accepted(state?: string): CloudFoundryVerdict {
  return { verdict: 'accepted', orphanMitigation: false, ...(state === undefined ? {} : { state }) }
}

function refused(error: string, orphanMitigation = false): CloudFoundryVerdict {
  return { verdict: 'error', error, orphanMitigation }
}
