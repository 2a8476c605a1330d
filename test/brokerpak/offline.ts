/** The offline scenarios over OSB: a broker with a pak and the Terraform of this machine, ordered at as a platform would. */
import { chmodSync, cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../src/kit/exact.ts'
import { isObject, type Json, type JsonObject } from '../../src/kit/json.ts'
import { ask } from '../support/ask.ts'
import { basic, catalogOf, type TestBroker } from '../support/broker.ts'
import { workspaceFaults } from './telltale.ts'

export interface Step {
  readonly op: 'provision' | 'update' | 'bind' | 'unbind' | 'deprovision'
  readonly instance: string
  readonly binding?: string
  readonly plan?: string
  readonly params?: JsonObject
  readonly context?: JsonObject
  readonly app_guid?: string
  /** The version to move to. */
  readonly maintenance?: string
  readonly expect: JsonObject
}

export interface Scenario {
  readonly pak: string
  readonly service: string
  readonly env?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

export interface Ended {
  readonly status: number
  readonly state: string
  readonly said: string
  readonly credentials: Json
  readonly outputs: JsonObject
  /** What was written during it. */
  readonly log: string
}

const corpus = 'test/corpus/brokerpak/e2e-offline'
/** One pak is of other origin, and only there where this project is worked on. */
const elsewhere = '../shared/corpus/brokerpak/e2e-offline'

/** Lays a pak of the corpus out in a folder, with its provider where the archive would have it; answers the folder. */
export function layOutPak(name: string, folder: string): string {
  const to = join(folder, name)
  cpSync(join(isWhole(corpus, name) ? corpus : elsewhere, name), to, { recursive: true })
  const programs = join(to, 'bin/linux/amd64')
  mkdirSync(programs, { recursive: true })
  const provider = join(programs, 'terraform-provider-random_v3.99.0')
  cpSync(join(corpus, 'fake-provider/terraform-provider-random_v3.99.0'), provider)
  chmodSync(provider, 0o755)
  return to
}

/** The pretended provider speaks in the clear. */
export const providerInTheClear = { TF_DISABLE_PLUGIN_TLS: '1' }

/** A pak in the catalog, with the engine of the host unless it brings its own. */
export function entryOf(pak: string, engine?: string, env: Scenario['env'] = {}): object {
  const options = engine === undefined ? {} : { options: { engine: 'host', host_program: engine } }
  const lent = Object.entries(env).map(([name, value]) => ({ name, value }))
  return { package: pak, ...options, infrastructure: lent }
}

/** The settings of a broker that offers it, instead of the catalog it had. */
export function offering(...entry: Parameters<typeof entryOf>): (text: string) => string {
  return catalogOf([entryOf(...entry)])
}

/** Whether the scenario's pak is complete here. */
export function isComplete({ pak }: Scenario): boolean {
  return isWhole(corpus, pak) || isWhole(elsewhere, pak)
}

function isWhole(home: string, pak: string): boolean {
  return existsSync(
    join(home, pak, pak === 'init-example' ? 'example-service-definition.yml' : 'manifest.yml'),
  )
}

interface Offered {
  readonly id: string
  readonly name: string
  readonly plans: readonly {
    readonly id: string
    readonly name: string
    readonly maintenance_info?: { readonly version: string }
  }[]
}

/** The version that is offered for an engine; what is offered for none stays as it is. */
function offeredVersion({ plans }: Offered, engine: string): string {
  const versions = plans.map((plan) => plan.maintenance_info?.version ?? '')
  return versions.find((one) => one.startsWith(`${engine}+`)) ?? engine
}

/** A platform that orders and polls. */
export class Customer {
  readonly #at: Pick<TestBroker, 'url' | 'logLines'>
  readonly #name: string
  #service: Offered | undefined
  /** The plans that instances have now, as a platform remembers them. */
  readonly #plans = new Map<string, string>()

  constructor(at: Pick<TestBroker, 'url' | 'logLines'>, service: string) {
    this.#at = at
    this.#name = service
  }

  async take(step: Step): Promise<Ended> {
    const { status, body } = await this.order(step)
    if (status >= 400)
      return {
        status,
        state: 'refused',
        said: `${body['description']}`,
        credentials: {},
        outputs: {},
        log: '',
      }
    const last =
      status === 202 ? await this.poll(step, body['operation']) : { state: 'succeeded', description: '' }
    const worked = last['state'] === 'succeeded'
    if (worked && step.plan !== undefined) this.#plans.set(step.instance, step.plan)
    return {
      status,
      state: String(last['state']),
      said: String(last['description'] ?? ''),
      credentials: step.op === 'bind' && worked ? await this.#credentials(step, body) : {},
      outputs: await this.#outputs(step),
      log: status === 202 ? await this.#log() : '',
    }
  }

  /** Sends it, and answers what was answered at once. */
  async order(step: Step) {
    // What may be moved to is in the catalog of today.
    const offered = step.maintenance === undefined ? await this.offered() : await this.#find()
    const named = step.plan ?? this.#plans.get(step.instance)
    const plan = offered.plans.find(({ name }) => name === named) ?? offered.plans[0]
    const ids = { service_id: offered.id, plan_id: plan?.id ?? '' }
    const path = pathOf(step)
    if (step.op === 'unbind' || step.op === 'deprovision')
      return this.#ask('DELETE', `${path}?accepts_incomplete=true&${new URLSearchParams(ids)}`)
    const method = step.op === 'update' ? 'PATCH' : 'PUT'
    const update = step.plan === undefined ? { service_id: offered.id } : ids
    return this.#ask(method, `${path}?accepts_incomplete=true`, {
      ...(step.op === 'update' ? update : ids),
      ...(step.params === undefined ? {} : { parameters: step.params }),
      ...(step.maintenance === undefined
        ? {}
        : { maintenance_info: { version: offeredVersion(offered, step.maintenance) } }),
      ...(step.context === undefined ? {} : { context: step.context }),
      ...(step.op === 'provision' ? { organization_guid: 'org-1', space_guid: 'space-1' } : {}),
      ...(step.app_guid === undefined ? {} : { bind_resource: { app_guid: step.app_guid } }),
    })
  }

  /** What an instance can be moved to now, by the version of the engine. */
  async upgradeTo(engine: string): Promise<string> {
    return offeredVersion(await this.#find(), engine)
  }

  /** What the service offers, asked once. */
  async offered(): Promise<Offered> {
    if (this.#service === undefined) this.#service = await this.#find()
    return this.#service
  }

  async #find(): Promise<Offered> {
    const { body } = await this.#ask('GET', '/v2/catalog')
    const services = body['services'] as unknown as readonly Offered[]
    const found = services.find(({ name }) => name === this.#name)
    if (found === undefined) throw new Error(`no service ${this.#name}: ${this.#at.logLines.join('')}`)
    return found
  }

  async poll(step: Step, operation?: Json, everyMs = 50): Promise<JsonObject> {
    const query = operation === undefined ? '' : `?operation=${encodeURIComponent(String(operation))}`
    for (;;) {
      const { body } = await this.#ask('GET', `${pathOf(step)}/last_operation${query}`)
      if (body['state'] !== 'in progress') return body
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  }

  /** Waits until its latest operation has a run. */
  async running(): Promise<void> {
    for (;;) {
      const { body } = await this.#ask('GET', '/api/v1/operations', undefined, 'admin')
      const [latest] = body['items'] as readonly JsonObject[]
      if (latest?.['state'] === 'running') return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async #credentials(step: Step, answered: JsonObject): Promise<Json> {
    if (answered['credentials'] !== undefined) return answered['credentials']
    return (await this.#ask('GET', pathOf(step))).body['credentials'] ?? {}
  }

  /** The log of the latest operation. */
  async #log(): Promise<string> {
    const { body: all } = await this.#ask('GET', '/api/v1/operations?limit=1', undefined, 'admin')
    const [latest] = all['items'] as readonly JsonObject[]
    const path = `/api/v1/operations/${latest?.['id']}/log`
    const texts: string[] = []
    let after: Json | undefined = 0
    while (after !== undefined) {
      const { body } = await this.#ask('GET', `${path}?after=${after}`, undefined, 'admin')
      texts.push(...(body['items'] as readonly JsonObject[]).map((line) => String(line['text'])))
      after = body['next']
    }
    return texts.join('')
  }

  async #outputs({ instance }: Step): Promise<JsonObject> {
    const path = `/api/v1/instances/platform/${instance}/outputs`
    const { status, body } = await this.#ask('GET', path, undefined, 'admin')
    if (status !== 200) return {}
    const names = (body['items'] as readonly JsonObject[]).map((one) => String(one['name']))
    const values = names.map(async (name): Promise<[string, Json]> => {
      const answer = await this.#fetch('GET', `${path}/${encodeURIComponent(name)}`, undefined, 'admin')
      return [name, parseJson(await answer.text()) as Json]
    })
    return Object.fromEntries(await Promise.all(values))
  }

  async #ask(method: string, path: string, body?: JsonObject, user: 'platform' | 'admin' = 'platform') {
    const answer = await this.#fetch(method, path, body, user)
    return { status: answer.status, body: parseJson((await answer.text()) || '{}') as JsonObject }
  }

  #fetch(method: string, path: string, body: JsonObject | undefined, user: 'platform' | 'admin') {
    return ask(this.#at, path, { as: basic(user), method, ...(body === undefined ? {} : { body }) })
  }
}

function pathOf({ instance, binding }: Step): string {
  const path = `/v2/service_instances/${instance}`
  return binding === undefined ? path : `${path}/service_bindings/${binding}`
}

/** What a step was expected to come to and did not; empty when all is well. */
export function faultsOf({ expect }: Step, ended: Ended, past: readonly Ended[]): readonly string[] {
  const faults: string[] = []
  const want = (what: string, wanted: Json | undefined, got: Json) => {
    if (wanted !== undefined && !fits(wanted, got, past))
      faults.push(`${what}: want ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`)
  }
  const contains = (what: string, wanted: Json | undefined) => {
    const flat = (text: Json) => String(text).replace(/\s+/g, ' ')
    if (wanted !== undefined && !flat(ended.said).includes(flat(wanted)))
      faults.push(`${what}: ${JSON.stringify(wanted)} is not in ${JSON.stringify(ended.said)}`)
  }
  if (expect['http_status'] !== undefined) {
    want('state', 'refused', ended.state)
    contains('error', expect['error_contains'])
    return faults
  }
  want('state', expect['state'], ended.state)
  want('description', expect['description'], ended.said)
  contains('description', expect['description_contains'])
  want('outputs', expect['outputs'], ended.outputs)
  want('credentials', expect['credentials'], ended.credentials)
  return [...faults, ...workspaceFaults(expect, ended.log, (wanted, got) => fits(wanted, got, past))]
}

function fits(wanted: Json, got: Json, past: readonly Ended[]): boolean {
  if (isObject(wanted) && '$regex' in wanted) return new RegExp(String(wanted['$regex'])).test(String(got))
  if (isObject(wanted) && '$same' in wanted) return fits(recalled(String(wanted['$same']), past), got, past)
  if (isObject(wanted) && '$concat' in wanted) {
    const parts = (wanted['$concat'] as readonly string[]).map((part) =>
      part.startsWith('$steps') ? String(recalled(part, past)) : part,
    )
    return parts.join('') === got
  }
  if (Array.isArray(wanted)) {
    const list: readonly Json[] = Array.isArray(got) ? got : []
    return (
      Array.isArray(got) &&
      wanted.length === list.length &&
      wanted.every((one, i) => fits(one, list[i] ?? null, past))
    )
  }
  if (isObject(wanted) && !('rawJSON' in wanted) && isObject(got)) {
    const keys = new Set([...Object.keys(wanted), ...Object.keys(got)])
    const of = (map: unknown, key: string) => (map as JsonObject)[key] ?? null
    return [...keys].every((key) => fits(of(wanted, key), of(got, key), past))
  }
  return JSON.stringify(wanted) === JSON.stringify(got)
}

/** `$steps[0].outputs.x`: a value of an earlier step. */
function recalled(path: string, past: readonly Ended[]): Json {
  const [, index = '0', rest = ''] = /^\$steps\[(\d+)\]\.(.+)$/.exec(path) ?? []
  let here: unknown = past[Number(index)]
  for (const key of rest.split('.')) here = isObject(here) ? here[key] : undefined
  return (here ?? null) as Json
}
