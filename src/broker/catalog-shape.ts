/** The fields of services and plans one by one: there, of the right type, within the limits. */
import { isObject, pointer } from '../kit/json.ts'
import {
  type Authority,
  bothRefuse,
  discouraged,
  type Finding,
  readAsAbsent,
  refused,
} from './catalog-finding.ts'
import { maintenanceFindings } from './catalog-maintenance.ts'

/** What is wrong with one service and its plans. */
export function offeringFindings(service: unknown, at: string): readonly Finding[] {
  if (!isObject(service)) return [wrongType(at, 'an object', bothRefuse)]
  return [
    ...namedFindings(service, at),
    ...fieldFindings(service, offeringFields, at),
    ...bindableFindings(service['bindable'], pointer(at, 'bindable')),
    ...tagFindings(service['tags'], pointer(at, 'tags')),
    ...requiresFindings(service['requires'], pointer(at, 'requires')),
    ...shareableFindings(service['metadata'], pointer(at, 'metadata')),
    ...dashboardFindings(service['dashboard_client'], pointer(at, 'dashboard_client')),
    ...plansFindings(service['plans'], pointer(at, 'plans')),
  ]
}

function plansFindings(plans: unknown, at: string): readonly Finding[] {
  if (plans === undefined || (Array.isArray(plans) && plans.length === 0)) {
    return [refused(at, 'the service has no plan', 'Add at least one plan.')]
  }
  if (!Array.isArray(plans)) return [wrongType(at, 'a list', bothRefuse)]
  return plans.flatMap((plan, i) => planFindings(plan, pointer(at, i)))
}

function planFindings(plan: unknown, at: string): readonly Finding[] {
  if (!isObject(plan)) return [wrongType(at, 'an object', bothRefuse)]
  return [
    ...namedFindings(plan, at),
    ...fieldFindings(plan, planFields, at),
    ...pollingFindings(plan['maximum_polling_duration'], pointer(at, 'maximum_polling_duration')),
    ...maintenanceFindings(plan['maintenance_info'], pointer(at, 'maintenance_info')),
  ]
}

type Kind = 'boolean' | 'object'
interface Field {
  readonly kind: Kind
  readonly refusedBy: readonly Authority[]
}

const boolean: Field = { kind: 'boolean', refusedBy: bothRefuse }
const object: Field = { kind: 'object', refusedBy: bothRefuse }

const offeringFields: Readonly<Record<string, Field>> = {
  instances_retrievable: boolean,
  bindings_retrievable: boolean,
  allow_context_updates: boolean,
  plan_updateable: boolean,
  metadata: object,
}

const planFields: Readonly<Record<string, Field>> = {
  free: boolean,
  bindable: boolean,
  plan_updateable: boolean,
  // Newer than what Cloud Foundry reads.
  binding_rotatable: { kind: 'boolean', refusedBy: ['specification'] },
  metadata: object,
  schemas: object,
}

/** The one field here that must be there. */
function bindableFindings(value: unknown, at: string): readonly Finding[] {
  if (value === undefined || value === null) return [missing(at)]
  return typeof value === 'boolean' ? [] : [wrongType(at, 'true or false', bothRefuse)]
}

function fieldFindings(
  thing: { readonly [key: string]: unknown },
  fields: Readonly<Record<string, Field>>,
  at: string,
): readonly Finding[] {
  const found = Object.entries(fields).flatMap(([name, { kind, refusedBy }]) => {
    const value = thing[name]
    const right = kind === 'boolean' ? typeof value === 'boolean' : isObject(value)
    if (value === undefined || right) return []
    const by = readAsAbsent(value) ? (['specification'] as const) : refusedBy
    return [wrongType(pointer(at, name), kind === 'boolean' ? 'true or false' : 'an object', by)]
  })
  if (!Object.hasOwn(thing, 'plan_updatable')) return found
  const misspelt = pointer(at, 'plan_updatable')
  return [...found, discouraged(misspelt, 'nobody reads this spelling', 'Write plan_updateable.')]
}

const unreserved = /^[A-Za-z0-9._~-]+$/
const typeable = /^[A-Za-z0-9.-]+$/

/** The three fields that services and plans share. */
function namedFindings(thing: { readonly [key: string]: unknown }, at: string): readonly Finding[] {
  const { id, name, description } = thing
  return [
    ...textFindings(id, pointer(at, 'id')),
    ...textFindings(name, pointer(at, 'name')),
    ...textFindings(description, pointer(at, 'description')),
    ...adviseOn(id, unreserved, pointer(at, 'id'), {
      message: 'the id has characters that must be escaped in a URL',
      remedy: 'Use letters, digits, period, underscore, tilde and hyphen, or a UUID.',
    }),
    ...adviseOn(name, typeable, pointer(at, 'name'), {
      message: 'the name is awkward on a command line',
      remedy: 'Use letters, digits, period and hyphen.',
    }),
    ...lengthFindings(name, pointer(at, 'name'), { kubernetes: true }),
    ...lengthFindings(id, pointer(at, 'id'), { kubernetes: true }),
    ...lengthFindings(description, pointer(at, 'description'), { kubernetes: false }),
  ]
}

function textFindings(value: unknown, at: string): readonly Finding[] {
  if (value === undefined || value === null) return [missing(at)]
  if (typeof value !== 'string') return [wrongType(at, 'a text', bothRefuse)]
  return value.trim() === '' ? [refused(at, 'is empty', 'Fill it in.')] : []
}

function adviseOn(
  value: unknown,
  pattern: RegExp,
  at: string,
  { message, remedy }: { readonly message: string; readonly remedy: string },
): readonly Finding[] {
  if (typeof value !== 'string' || value.trim() === '' || pattern.test(value)) return []
  return [discouraged(at, message, remedy)]
}

const recommendedCharacters = 255
const cloudFoundryDescription = 10_000
const serviceCatalogName = 63

function lengthFindings(
  value: unknown,
  at: string,
  { kubernetes }: { readonly kubernetes: boolean },
): readonly Finding[] {
  if (typeof value !== 'string') return []
  const shorter = (most: number) => `Shorten it to ${most} characters.`
  const findings: Finding[] = []
  if (kubernetes && value.length > serviceCatalogName) {
    const message = `has ${value.length} characters, more than a Kubernetes name may have`
    findings.push(refused(at, message, shorter(serviceCatalogName), ['service-catalog']))
  }
  if (!kubernetes && value.length > cloudFoundryDescription) {
    const message = `has ${value.length} characters`
    findings.push(refused(at, message, shorter(cloudFoundryDescription), ['cloudfoundry']))
  }
  if (value.length > recommendedCharacters) {
    findings.push(discouraged(at, `has ${value.length} characters`, shorter(recommendedCharacters)))
  }
  return findings
}

const cloudFoundryTags = 2048

function tagFindings(tags: unknown, at: string): readonly Finding[] {
  const wrong = textsFindings(tags, at)
  if (wrong.length > 0 || !Array.isArray(tags)) return wrong
  const characters = tags.join('').length
  if (characters <= cloudFoundryTags) return []
  const remedy = `Bring them to ${cloudFoundryTags} characters together.`
  return [refused(at, `the tags have ${characters} characters together`, remedy, ['cloudfoundry'])]
}

const permissions = ['syslog_drain', 'route_forwarding', 'volume_mount']

function requiresFindings(requires: unknown, at: string): readonly Finding[] {
  const wrong = textsFindings(requires, at)
  if (wrong.length > 0 || !Array.isArray(requires)) return wrong
  return requires.flatMap((permission, i) =>
    permissions.includes(permission)
      ? []
      : [
          refused(
            pointer(at, i),
            `${JSON.stringify(permission)} is no permission`,
            `Use ${permissions.join(', ')}.`,
          ),
        ],
  )
}

function textsFindings(list: unknown, at: string): readonly Finding[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) return [wrongType(at, 'a list of texts', bothRefuse)]
  return list.flatMap((item, i) =>
    typeof item === 'string' ? [] : [wrongType(pointer(at, i), 'a text', bothRefuse)],
  )
}

function shareableFindings(metadata: unknown, at: string): readonly Finding[] {
  const shareable = isObject(metadata) ? metadata['shareable'] : undefined
  if (shareable === undefined || shareable === null || typeof shareable === 'boolean') return []
  return [wrongType(pointer(at, 'shareable'), 'true or false', ['cloudfoundry'])]
}

function dashboardFindings(client: unknown, at: string): readonly Finding[] {
  if (client === undefined) return []
  if (readAsAbsent(client)) return [wrongType(at, 'an object', ['specification'])]
  if (!isObject(client)) return [wrongType(at, 'an object', bothRefuse)]
  return [
    ...textFindings(client['id'], pointer(at, 'id')),
    ...textFindings(client['secret'], pointer(at, 'secret')),
    ...textFindings(client['redirect_uri'], pointer(at, 'redirect_uri')).map((finding) => ({
      ...finding,
      refusedBy: client['redirect_uri'] === undefined ? (['cloudfoundry'] as const) : finding.refusedBy,
    })),
  ]
}

function pollingFindings(seconds: unknown, at: string): readonly Finding[] {
  if (seconds === undefined) return []
  if (!Number.isInteger(seconds)) {
    return [
      wrongType(at, 'a whole number of seconds', readAsAbsent(seconds) ? ['specification'] : bothRefuse),
    ]
  }
  if (Number(seconds) >= 1) return []
  return [refused(at, 'leaves no time to poll', 'Give at least one second.', ['specification'])]
}

function missing(at: string): Finding {
  return refused(at, 'is missing', 'Add it.')
}

function wrongType(at: string, wanted: string, refusedBy: readonly Authority[]): Finding {
  return refused(at, `must be ${wanted}`, `Make it ${wanted}.`, refusedBy)
}
