/** Instances and bindings of a dump, as they are handed to a broker; what is unclear is refused one by one. */
import type { AdoptedInstance } from '../../../api/adoption.ts'
import { faultOfNames, movedBinding, movedInstance, sentParameters } from '../../../contracts/apb/index.ts'
import { isObject, type JsonObject } from '../../../kit/json.ts'
import { present } from '../../../kit/present.ts'
import type { Carryover } from '../../../model/outcome.ts'
import type { Resource } from './resource.ts'
import { type Dump, objectIn, valuesOf, wordIn } from './resources.ts'

export interface Moved {
  readonly instances: readonly (AdoptedInstance & { readonly instance: string })[]
  /** What is not taken, by its id, with what to do. */
  readonly refused: readonly { readonly id: string; readonly why: string }[]
}

/** Everything that a dump holds. */
export function movedInstances(dump: Dump): Moved {
  const refused: Moved['refused'][number][] = []
  const instances = dump.instances.flatMap((one) => {
    const moved = instanceOf(one, dump, (id, why) => void refused.push({ id, why }))
    return moved === undefined ? [] : [moved]
  })
  const known = new Set(dump.instances.map(({ name }) => name))
  for (const binding of dump.bindings) {
    const owner = ownerOf(binding)
    if (!known.has(owner)) refused.push({ id: binding.name, why: `its instance ${owner} is not in the dump` })
  }
  return { instances, refused }
}

type Refuse = (id: string, why: string) => void

function instanceOf(
  { name, spec, status }: Resource,
  dump: Dump,
  refuse: Refuse,
): (AdoptedInstance & { readonly instance: string }) | undefined {
  const no = (why: string): undefined => {
    refuse(name, why)
    return undefined
  }
  if (name === '') return no('it has no id')
  const state = stateOf(status)
  if (state === 'open')
    return no('an operation of it has not ended: let it end in the original, and dump again')
  const parameters = objectIn(spec, 'parameters')
  if (parameters === undefined) return no('its parameters are no JSON object')
  const service = bundleOf(spec)
  const namespace = wordIn(memberOf(spec, 'context'), 'namespace') || wordIn(parameters, 'namespace')
  const names = faultOfNames(name, namespace)
  if (names !== undefined) return no(names)
  const credentials = credentialsOf(dump, name)
  if (credentials === 'unreadable') return no(unreadable)
  const config = dump.configMaps.get(`${name}-state`)?.data
  if (config !== undefined && !isState(config))
    return no(`its state, the ConfigMap ${name}-state, holds what is no text or has no name of a file`)
  const moved = movedInstance({
    parameters,
    namespace,
    ...present({ credentials }),
    ...present({ state: config }),
  })
  if (moved.plan === '') return no('it does not say its plan (_apb_plan_id)')
  const dashboard = wordIn(spec, 'dashboardUrl')
  return {
    instance: name,
    service,
    plan: moved.plan,
    state,
    parameters: moved.parameters,
    context: { platform: wordIn(memberOf(spec, 'context'), 'platform') || 'kubernetes', namespace },
    ...(dashboard === '' ? {} : { dashboardUrl: dashboard }),
    memory: inBase64(moved.carryover),
    bindings: dump.bindings
      .filter((binding) => ownerOf(binding) === name)
      .flatMap((binding) => bindingOf(binding, { dump, credentials, refuse })),
  }
}

function bindingOf(
  { name, spec, status }: Resource,
  around: { readonly dump: Dump; readonly credentials: JsonObject | undefined; readonly refuse: Refuse },
): AdoptedInstance['bindings'] {
  const { dump, refuse } = around
  const state = stateOf(status)
  const own = credentialsOf(dump, name)
  if (own === 'unreadable') {
    refuse(name, unreadable)
    return []
  }
  const answer = own ?? around.credentials
  const parameters = objectIn(spec, 'parameters')
  if (state === 'open')
    refuse(name, 'it is being made or removed: let that end in the original, and dump again')
  else if (parameters === undefined) refuse(name, 'its parameters are no JSON object')
  else if (state === 'ready' && answer === undefined)
    refuse(name, 'neither it nor its instance has credentials')
  else
    return [
      {
        binding: name,
        parameters: sentParameters(parameters),
        ...(state === 'ready' && answer !== undefined ? { credentials: answer } : {}),
        memory: inBase64(movedBinding(own)),
      },
    ]
  return []
}

/** By the newest job that made or changed it; without one as it says itself. */
function stateOf(status: JsonObject): 'ready' | 'failed' | 'open' {
  const jobs = Object.values(memberOf(status, 'jobs')).filter(isObject) as JsonObject[]
  const newest = jobs
    .filter((job) => ['provision', 'update', 'bind', ''].includes(wordIn(job, 'method')))
    .toSorted((a, b) => wordIn(a, 'lastModifiedTime').localeCompare(wordIn(b, 'lastModifiedTime')))
    .at(-1)
  const isOpen = jobs.some((job) => /^(in[- ]progress|not[- ])/.test(wordIn(job, 'state')))
  const said = (newest && wordIn(newest, 'state')) || wordIn(status, 'state')
  if (isOpen || /^(in[- ]progress|not[- ])/.test(said)) return 'open'
  // A failed update leaves an instance that works; a failed provision does not.
  const isMade = newest === undefined || wordIn(newest, 'method') !== 'update'
  return said === 'failed' && isMade ? 'failed' : 'ready'
}

const unreadable = 'its credentials, in the Secret of its name, are no JSON object'

function credentialsOf({ secrets }: Dump, id: string): JsonObject | 'unreadable' | undefined {
  const secret = secrets.get(id)
  const { credentials } = secret === undefined ? {} : (valuesOf(secret) as { credentials?: string })
  return credentials === undefined ? undefined : (objectIn({ credentials }, 'credentials') ?? 'unreadable')
}

/** Each becomes a file. */
function isState(data: JsonObject): data is Readonly<Record<string, string>> {
  return Object.entries(data).every(
    ([key, value]) => typeof value === 'string' && /^(?!\.{1,2}$)[-._a-zA-Z0-9]{1,253}$/.test(key),
  )
}

function bundleOf(spec: JsonObject): string {
  return wordIn(memberOf(spec, 'bundle'), 'name') || wordIn(memberOf(spec, 'serviceClass'), 'name')
}

function ownerOf({ spec }: Resource): string {
  return wordIn(memberOf(spec, 'bundleInstance'), 'name') || wordIn(memberOf(spec, 'serviceInstance'), 'name')
}

function memberOf(of: JsonObject, name: string): JsonObject {
  const value = of[name]
  return isObject(value) ? (value as JsonObject) : {}
}

function inBase64(carryover: Carryover): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(carryover).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
  )
}
