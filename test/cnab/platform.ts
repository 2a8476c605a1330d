/** A platform and an operator ordering at a broker that offers bundles. */
import type { JsonObject } from '../../src/kit/json.ts'
import { ask } from '../support/ask.ts'
import { basic, catalogOf, startTestBroker, type TestBroker } from '../support/broker.ts'

export interface Answer {
  readonly status: number
  readonly body: JsonObject
}

export interface Ended {
  readonly state: string
  readonly description: string
}

/** Makes these entries the whole catalog of a configuration, run by an engine. */
export function offeringOn(entries: readonly object[], engine = 'embedded'): (text: string) => string {
  return (text) => `engine: ${engine}\n${catalogOf(entries)(text)}`
}

/** A broker that offers them. */
export function offering(
  entries: readonly object[],
  { folder, engine }: { readonly folder?: string; readonly engine?: string } = {},
): Promise<TestBroker> {
  return startTestBroker('', folder, offeringOn(entries, engine))
}

export class Platform {
  readonly #at: Pick<TestBroker, 'url' | 'logLines'>
  #ids: { service: string; plans: ReadonlyMap<string, string> } | undefined

  constructor(at: Pick<TestBroker, 'url' | 'logLines'>) {
    this.#at = at
  }

  async catalog(): Promise<JsonObject> {
    return (await this.ask('GET', '/v2/catalog')).body
  }

  async provision(instance: string, plan: string, parameters: JsonObject): Promise<Answer> {
    return await this.ask('PUT', `/v2/service_instances/${instance}?accepts_incomplete=true`, {
      ...(await this.#idsOf(plan)),
      organization_guid: 'org-1',
      space_guid: 'space-1',
      context: { platform: 'test' },
      parameters,
    })
  }

  /** With a version, to the package that is offered now. */
  async update(instance: string, plan: string, parameters: JsonObject, version?: string): Promise<Answer> {
    const path = `/v2/service_instances/${instance}?accepts_incomplete=true`
    const maintenance = version === undefined ? {} : { maintenance_info: { version } }
    return await this.ask('PATCH', path, { ...(await this.#idsOf(plan)), parameters, ...maintenance })
  }

  async bind(instance: string, binding: string, plan: string, parameters: JsonObject = {}): Promise<Answer> {
    const path = `/v2/service_instances/${instance}/service_bindings/${binding}?accepts_incomplete=true`
    const resource = { app_guid: 'app-1' }
    return await this.ask('PUT', path, { ...(await this.#idsOf(plan)), bind_resource: resource, parameters })
  }

  async remove(path: string, plan: string): Promise<Answer> {
    const query = new URLSearchParams({ ...(await this.#idsOf(plan)), accepts_incomplete: 'true' })
    return await this.ask('DELETE', `/v2/service_instances/${path}?${query}`)
  }

  /** Waits for the end of what was ordered. */
  async end(path: string, { status, body }: Answer): Promise<Ended> {
    if (status !== 202) return { state: `answered ${status}`, description: String(body['description'] ?? '') }
    for (;;) {
      const { body: last } = await this.ask('GET', `/v2/service_instances/${path}/last_operation`)
      if (last['state'] !== 'in progress')
        return { state: String(last['state'] ?? 'gone'), description: String(last['description'] ?? '') }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** Carries an action of the package out, as an operator; answers its outputs by name. */
  async invoke(
    instance: string,
    action: string,
    parameters: JsonObject = {},
  ): Promise<Record<string, string>> {
    const path = `/api/v1/instances/platform/${instance}/invoke`
    const ordered = await this.ask('POST', path, { action, parameters }, 'admin')
    if (ordered.status !== 202) throw new Error(JSON.stringify(ordered.body))
    const operation = String(ordered.body['operation'])
    for (;;) {
      const { body } = await this.ask('GET', `/api/v1/operations/${operation}`, undefined, 'admin')
      if (body['state'] === 'failed' || body['state'] === 'cancelled') throw new Error(String(body['reason']))
      if (body['state'] === 'succeeded') break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return { ...(await this.#texts(`/api/v1/operations/${operation}/outputs`)), operation }
  }

  async outputs(instance: string): Promise<Record<string, string>> {
    return await this.#texts(`/api/v1/instances/platform/${instance}/outputs`)
  }

  async log(operation: string): Promise<string> {
    const { body } = await this.ask('GET', `/api/v1/operations/${operation}/log`, undefined, 'admin')
    return ((body['items'] ?? []) as readonly JsonObject[]).map((line) => String(line['text'])).join('')
  }

  async ask(
    method: string,
    path: string,
    body?: JsonObject,
    user: 'platform' | 'admin' = 'platform',
  ): Promise<Answer> {
    const answer = await this.#fetch(method, path, body, user)
    return { status: answer.status, body: JSON.parse((await answer.text()) || '{}') as JsonObject }
  }

  async #texts(path: string): Promise<Record<string, string>> {
    const { body } = await this.ask('GET', path, undefined, 'admin')
    const names = ((body['items'] ?? []) as readonly JsonObject[]).map((one) => String(one['name']))
    const texts = names.map(async (name) => {
      const answer = await this.#fetch('GET', `${path}/${encodeURIComponent(name)}`, undefined, 'admin')
      return [name, await answer.text()] as const
    })
    return Object.fromEntries(await Promise.all(texts))
  }

  #fetch(method: string, path: string, body: JsonObject | undefined, user: 'platform' | 'admin') {
    return ask(this.#at, path, { as: basic(user), method, ...(body === undefined ? {} : { body }) })
  }

  async #idsOf(plan: string) {
    if (this.#ids === undefined) {
      const { services } = (await this.catalog()) as unknown as {
        readonly services: readonly { id: string; plans: readonly { id: string; name: string }[] }[]
      }
      const [service] = services
      if (service === undefined) throw new Error(`nothing is offered: ${this.#at.logLines.join('')}`)
      this.#ids = {
        service: service.id,
        plans: new Map(service.plans.map(({ id, name }) => [name, id])),
      }
    }
    return { service_id: this.#ids.service, plan_id: this.#ids.plans.get(plan) ?? plan }
  }
}
