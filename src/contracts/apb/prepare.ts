/** An action becomes one container run, or is refused before anything starts. */
import { never } from '../../kit/assert.ts'
import { deepEqual, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Prepared } from '../contract.ts'
import type { ApbAction } from './actions.ts'
import { argumentBytesMax, encodeVars, userOf } from './extra-vars.ts'
import { actionJob, clusterToken } from './job.ts'
import { bindingMemoryOf, type InstanceMemory, memoryOf } from './memory.ts'
import { namespacePattern } from './names.ts'
import { faultsOfNeeds } from './needs.ts'
import { notesOf, specPlanOf } from './notes.ts'
import { type Options, optionsOf } from './options.ts'
import { secretParameters } from './secrets.ts'
import type { Parameter } from './spec.ts'
import { holdsTemplate, judgeValues } from './values.ts'

export function prepareApb(action: Action, situation: Situation): Prepared {
  switch (action.kind) {
    case 'provision':
      return prepareProvision(situation)
    case 'update':
      return prepareUpdate(situation)
    case 'deprovision':
      return run('deprovision', situation, {
        ...storedParameters(situation),
        _apb_provision_creds: memoryOf(situation.carryover).credentials ?? {},
      })
    case 'bind':
      return prepareBind(situation)
    case 'unbind':
      return prepareUnbind(situation)
    case 'invoke':
      return action.name === 'test'
        ? prepareTest(situation)
        : refused([{ code: 'apb.action-unsupported', detail: action.name }])
    default:
      return never(action)
  }
}

/** The parameters that an instance has after an action, typed and with defaults. */
export function parametersAfter(situation: Situation): ReturnType<typeof judgeValues> {
  const { plan, package: pkg, infrastructure } = situation
  const options = optionsOf(plan.operator.options)
  const { parameters } = specPlanOf(pkg, plan)
  const lent = options.secretsAsParameters ? secretParameters(infrastructure) : {}
  const open = parameters.filter(
    ({ name }) => !Object.hasOwn(plan.operator.inputs, name) && !options.secrets.includes(name),
  )
  const hidden = parameters.filter((parameter) => !open.includes(parameter))
  const given = judgeValues(
    pickedFor(situation),
    [...open, ...hidden.map((parameter) => ({ ...parameter, required: false }))],
    { defaults: plan.operator.defaults, templates: options.userTemplates },
  )
  return { ...given, values: { ...given.values, ...plan.operator.inputs, ...lent } }
}

/** After a change of plan, what only the old plan had stays behind; with the change it cannot be set any more. */
function pickedFor({ plan, package: pkg, instance, before, sent = {}, carryover }: Situation): JsonObject {
  if (before === undefined || before.plan.id === plan.id) return instance.parameters
  const declared = new Set(specPlanOf(pkg, plan).parameters.map(({ name }) => name))
  const old = new Set(specPlanOf(pkg, before.plan).parameters.map(({ name }) => name))
  const stored = memoryOf(carryover).parameters ?? before.parameters
  const isSet = (name: string): boolean =>
    Object.hasOwn(sent, name) && !deepEqual(member(sent, name), member(stored, name))
  return Object.fromEntries(
    Object.entries(instance.parameters).filter(
      ([name]) => declared.has(name) || !old.has(name) || isSet(name),
    ),
  )
}

function prepareProvision(situation: Situation): Prepared {
  const { values, problems } = parametersAfter(situation)
  if (problems.length > 0) return refused(problems)
  return run('provision', situation, values, dashboardOf(situation))
}

function prepareUpdate(situation: Situation): Prepared {
  const { values, problems } = parametersAfter(situation)
  const faults = [...faultsOfPlanChange(situation), ...problems, ...faultsOfChange(situation, values)]
  if (faults.length > 0) return refused(faults)
  const { credentials } = memoryOf(situation.carryover)
  return run('update', situation, { ...values, ...provisionCreds(credentials) })
}

function faultsOfPlanChange({ before, plan, package: pkg }: Situation): readonly Problem[] {
  if (before === undefined || before.plan.id === plan.id) return []
  const from = specPlanOf(pkg, before.plan)
  const to = specPlanOf(pkg, plan)
  if (from.name === to.name || from.updatesTo.includes(to.name)) return []
  return [{ code: 'apb.update.plan', detail: `${from.name} to ${to.name}: plan update not possible` }]
}

/** What is sent again unchanged is no change; what the old plan lacks may be given with the change of plan. */
function faultsOfChange(situation: Situation, values: JsonObject): readonly Problem[] {
  const { sent = {}, before, plan, package: pkg, carryover } = situation
  const { parameters } = specPlanOf(pkg, plan)
  const old = before && specPlanOf(pkg, before.plan).parameters
  const stored = memoryOf(carryover).parameters ?? before?.parameters ?? {}
  const isFixed = ({ name, updatable }: Parameter): boolean =>
    !updatable &&
    (old === undefined || old.some((parameter) => parameter.name === name)) &&
    !deepEqual(member(values, name), member(stored, name))
  return parameters
    .filter((parameter) => Object.hasOwn(sent, parameter.name) && isFixed(parameter))
    .map(({ name }) => ({
      code: 'apb.parameters',
      detail: 'parameter not updatable',
      where: { source: 'parameters', pointer: pointer('', name) },
    }))
}

function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function prepareBind(situation: Situation): Prepared {
  const { plan, package: pkg, carryover } = situation
  const options = optionsOf(plan.operator.options)
  const { values, problems } = judgeValues(situation.parameters, specPlanOf(pkg, plan).bindParameters, {
    defaults: {},
    templates: options.userTemplates,
  })
  if (problems.length > 0) return refused(problems)
  const { credentials } = memoryOf(carryover)
  if (options.launchOnBind === 'never') {
    return {
      kind: 'nothing-to-run',
      outcome: credentials
        ? { problems: [], binding: { credentials } }
        : { problems: [{ code: 'apb.credentials', detail: 'No credentials available' }] },
    }
  }
  return run('bind', situation, { ...roleOf(situation), ...values, ...provisionCreds(credentials) })
}

function prepareUnbind(situation: Situation): Prepared {
  const { plan, carryover, binding } = situation
  if (optionsOf(plan.operator.options).launchOnBind === 'never') {
    return { kind: 'nothing-to-run', outcome: { problems: [] } }
  }
  const { credentials: bound } = bindingMemoryOf(binding?.carryover)
  const { credentials } = memoryOf(carryover)
  return run('unbind', situation, {
    ...roleOf(situation),
    ...provisionCreds(credentials),
    ...present({ _apb_bind_creds: bound }),
    provision_params: { ...storedParameters(situation), ...injected(situation) },
  })
}

/** A test takes the parameters of a provision over those that the instance has; there need not be one. */
function prepareTest(situation: Situation): Prepared {
  const { instance } = situation
  const parameters = { ...instance.parameters, ...situation.parameters }
  const { values, problems } = parametersAfter({ ...situation, instance: { ...instance, parameters } })
  if (problems.length > 0) return refused(problems)
  return run('test', situation, { ...memoryOf(situation.carryover).parameters, ...values })
}

function provisionCreds(credentials: JsonObject | undefined): JsonObject {
  return credentials === undefined ? {} : { _apb_provision_creds: credentials }
}

/** Bundles that were made from a role of a gallery find their playbooks by these in every action. */
function roleOf(situation: Situation): JsonObject {
  const stored = storedParameters(situation)
  const declared = new Set(specPlanOf(situation.package, situation.plan).parameters.map(({ name }) => name))
  return Object.fromEntries(
    ['galaxy_url', 'role_name', 'role_namespace']
      .filter((name) => declared.has(name))
      .flatMap((name) => (stored[name] === undefined ? [] : [[name, stored[name]]])),
  )
}

/** What the instance was given last; only a provision that was lost has left nothing. */
function storedParameters(situation: Situation): JsonObject {
  return memoryOf(situation.carryover).parameters ?? parametersAfter(situation).values
}

/** What the broker adds to every action. */
function injected(situation: Situation): JsonObject {
  const { service, plan, package: pkg, instance, requester } = situation
  const user = userOf(requester)
  const isSafe = optionsOf(plan.operator.options).userTemplates === 'allow' || !holdsTemplate(user)
  return {
    // People may choose their names, and a user whose name is a template must be able to delete, too.
    _apb_last_requesting_user: isSafe ? user : '',
    _apb_plan_id: specPlanOf(pkg, plan).name,
    _apb_service_class_id: service.id ?? '',
    _apb_service_instance_id: instance.id,
  }
}

function run(action: ApbAction, situation: Situation, own: JsonObject, more: Dashboard = {}): Prepared {
  const options = optionsOf(situation.plan.operator.options)
  const memory = memoryOf(situation.carryover)
  const namespace = memory.namespace ?? targetNamespace(situation, options)
  if (namespace === undefined) {
    const detail = `Namespace not found within request context. Cannot perform requested ${action}`
    return refused([{ code: 'apb.namespace', detail }])
  }
  const ids = faultsOfIds(action, situation, { namespace, options })
  if (ids.length > 0) return refused(ids)
  if (options.targetCluster !== undefined && situation.infrastructure[clusterToken] === undefined) {
    return refused([
      { code: 'apb.options-invalid', detail: `targetCluster needs ${clusterToken} among the infrastructure` },
    ])
  }
  // What exists must be removable, whatever was said of it since.
  const needs = action === 'deprovision' || action === 'unbind' ? [] : faultsOfNeeds(options)
  if (needs.length > 0) return refused(needs)
  const { binding } = situation
  const vars: JsonObject = {
    ...own,
    // As they are lent now, and to every action: newer base images read no files of secrets.
    ...(options.secretsAsParameters ? secretParameters(situation.infrastructure) : {}),
    ...injected(situation),
    ...(binding === undefined ? {} : { _apb_service_binding_id: binding.id }),
    cluster: options.cluster,
    namespace,
  }
  const bytes = Buffer.byteLength(encodeVars(vars))
  if (bytes > argumentBytesMax) {
    return refused([{ code: 'apb.parameters.too-large', detail: `${bytes} bytes of ${argumentBytesMax}` }])
  }
  const seen = viewOf(situation, memory)
  return {
    kind: 'job',
    job: actionJob(action, situation, { vars, namespace, memory: seen, options }),
    ...more,
  }
}

/**
 * Platforms make ids and namespaces, and bundles name things by them; Ansible would evaluate them like parameters.
 * What exists must be removable.
 */
function faultsOfIds(
  action: ApbAction,
  { instance, binding }: Situation,
  { namespace, options }: { readonly namespace: string; readonly options: Options },
): readonly Problem[] {
  if (action !== 'provision' && action !== 'bind') return []
  if (!new RegExp(namespacePattern).test(namespace))
    return [{ code: 'apb.namespace', detail: `${JSON.stringify(namespace)} is no name of a namespace` }]
  const id = [instance.id, binding?.id ?? ''].find(holdsTemplate)
  if (id === undefined || options.userTemplates === 'allow') return []
  return [{ code: 'apb.parameters', detail: `the id ${id} holds {{ or {%, which the bundle would evaluate` }]
}

/** An unbind finds what its bind left, also where several bindings are made at the same time. */
function viewOf({ binding }: Situation, memory: InstanceMemory): InstanceMemory {
  const { state, objects } = bindingMemoryOf(binding?.carryover)
  return { ...memory, ...present({ state: state ?? memory.state, objects: objects ?? memory.objects }) }
}

/** Of the request, else as the operator maps spaces and organisations, else the operator's one for all. */
export function targetNamespace({ instance }: Situation, options: Options): string | undefined {
  const { namespace, space_guid, organization_guid } = instance.context
  if (typeof namespace === 'string' && namespace !== '') return namespace
  const mapped = [space_guid, organization_guid].flatMap((id) =>
    typeof id === 'string' && Object.hasOwn(options.namespaces, id) ? [options.namespaces[id]] : [],
  )
  // An order of a command has no namespace of a platform; the sandbox needs a name all the same.
  return mapped[0] ?? options.namespace ?? (instance.context['platform'] === 'local' ? 'default' : undefined)
}

interface Dashboard {
  readonly dashboardUrl?: string
}

/** The address is known only after the run but must be told before: the operator's redirector forwards to it. */
function dashboardOf({ package: pkg, plan, instance }: Situation): Dashboard {
  const { dashboardRedirector } = optionsOf(plan.operator.options)
  if (!notesOf(pkg).spec.dashboardRedirect || dashboardRedirector === '') return {}
  const scheme = /^https?:\/\//.test(dashboardRedirector) ? '' : 'http://'
  return { dashboardUrl: `${scheme}${dashboardRedirector}/?id=${encodeURIComponent(instance.id)}` }
}

function refused(problems: readonly Problem[]): Prepared {
  const [first, ...rest] = problems
  return { kind: 'refused', problems: [first ?? { code: 'apb.parameters' }, ...rest] }
}
