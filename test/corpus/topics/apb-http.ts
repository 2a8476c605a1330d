/** The original's answers at the OSB interface against those of a broker with the same bundle: equal, or as its defects are mended. */
import { rmSync } from 'node:fs'
import type { JsonObject } from '../../../src/kit/json.ts'
import { bundleImage } from '../../apb/image.ts'
import { offeringOn, Platform } from '../../cnab/platform.ts'
import { basic, startTestBroker, type TestBroker } from '../../support/broker.ts'
import { ensurePrograms } from '../../support/debian.ts'
import { freshFolder } from '../../support/image.ts'
import { rowsOf } from '../rows.ts'
import type { Verdict } from '../topic.ts'

const spec = `
version: 1.0
name: h-apb
description: d
bindable: true
async: optional
metadata: {}
plans:
  - {name: dev, description: a, free: true, metadata: {}, updates_to: [prod], parameters: &p [
      {name: size, type: int, default: 1, updatable: true}, {name: fixed, type: string, default: a},
      {name: kind, type: enum, enum: [x, y], default: x, updatable: true}, {name: mode, type: string, default: fast, updatable: true}]}
  - {name: prod, description: b, free: true, metadata: {}, parameters: *p}
`
const entrypoint = `
printf %s "$3" | grep -q '"mode":"slow"' && sleep 3
printf %s "$3" | grep -q '"mode":"bare"' && exit 0
case $1 in provision) credentials '{"user":"root"}' ;; bind) credentials '{"user":"app"}' ;; esac
exit 0
`

/** What a request answers; the table says which are the same as the original's, and which are mended and why. */
class Caller {
  readonly #broker: TestBroker
  readonly #ids = new Map<string, { readonly service: string; readonly plans: ReadonlyMap<string, string> }>()

  constructor(broker: TestBroker) {
    this.#broker = broker
  }

  async learn(): Promise<this> {
    const { services } = (await new Platform(this.#broker).catalog()) as unknown as {
      readonly services: readonly { id: string; name: string; plans: readonly { id: string; name: string }[] }[]
    }
    for (const { id, name, plans } of services)
      this.#ids.set(name, { service: id, plans: new Map(plans.map((plan) => [plan.name, plan.id])) })
    return this
  }

  ids(service = 'off-h-apb', plan = 'dev') {
    const { service: service_id = '', plans } = this.#ids.get(service) ?? {}
    return { service_id, plan_id: plans?.get(plan) ?? plan }
  }

  order(parameters: object = {}, service?: string, plan?: string) {
    return { ...this.ids(service, plan), organization_guid: 'o', space_guid: 's', parameters }
  }

  async send(method: string, path: string, body?: object | string, headers: Readonly<Record<string, string>> = {}) {
    const answer = await fetch(`${this.#broker.url}/v2/${path}`, {
      method,
      headers: {
        Authorization: basic('platform'),
        'X-Broker-API-Version': '2.17',
        'Content-Type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: answer.status, body: JSON.parse((await answer.text()) || '{}') as JsonObject }
  }

  async done(path: string): Promise<void> {
    while ((await this.send('GET', `${path}/last_operation`)).body['state'] === 'in progress')
      await new Promise((resolve) => setTimeout(resolve, 50))
  }

  async make(id: string, parameters: object = {}, service?: string): Promise<void> {
    await this.send('PUT', `service_instances/${id}?accepts_incomplete=true`, this.order(parameters, service))
    await this.done(`service_instances/${id}`)
  }

  remove(id: string, more = '&accepts_incomplete=true') {
    return this.send('DELETE', `service_instances/${id}?${new URLSearchParams(this.ids())}${more}`)
  }
}

type Ask = (at: Caller) => Promise<{ readonly status: number }>
const later = '?accepts_incomplete=true'
const i = 'service_instances/'
const bind = (id: string, more = '', service?: string, parameters: object = {}): Ask => (at) =>
  at.send('PUT', `${i}${id}${more}`, { ...at.ids(service), parameters })
const update = (id: string, body: (at: Caller) => object, more = later): Ask => (at) =>
  at.send('PATCH', `${i}${id}${more}`, { service_id: at.ids().service_id, ...body(at) })

/**
 * In the order of the table: what is asked, and the status. Another than the original's is a mended defect, or the
 * broker's own rule: bindings go with their instance.
 */
const asked: Readonly<Record<string, readonly [number, Ask]>> = {
  'any basic': [401, (at) => at.send('GET', 'catalog', undefined, { Authorization: 'Basic x' })],
  'any originating': [400, (at) => at.send('PUT', `${i}x${later}`, at.order(), { 'X-Broker-API-Originating-Identity': 'kubernetes %%%' })],
  'catalog ok': [200, (at) => at.send('GET', 'catalog')],
  'provision instance id': [202, (at) => at.send('PUT', `${i}no-uuid${later}`, at.order())],
  'provision body empty': [400, (at) => at.send('PUT', `${i}x${later}`, '')],
  'provision content type': [202, (at) => at.send('PUT', `${i}typed${later}`, at.order(), { 'Content-Type': 'application/json; charset=utf-8' })],
  'provision sync': [201, (at) => at.send('PUT', `${i}sync`, at.order())],
  'provision accepts_incomplete': [202, (at) => at.send('PUT', `${i}later${later}`, at.order({ mode: 'slow' }))],
  'provision same instance, same parameters, job': [202, (at) => at.send('PUT', `${i}later${later}`, at.order({ mode: 'slow' }))],
  'provision same instance, same parameters, no': [200, (at) => at.send('PUT', `${i}made${later}`, at.order())],
  'provision same instance, other': [409, (at) => at.send('PUT', `${i}made${later}`, at.order({ size: 7 }))],
  'provision unknown service': [400, (at) => at.send('PUT', `${i}x${later}`, { ...at.order(), service_id: 'none' })],
  'provision plan_id blank': [400, (at) => at.send('PUT', `${i}x${later}`, { ...at.order(), plan_id: '' })],
  'update unknown instance': [404, update('nobody', () => ({}))],
  'update unknown plan': [400, update('made', () => ({ plan_id: 'none' }))],
  'update transition': [422, async (at) => {
    await at.send('PUT', `${i}prod${later}`, at.order({}, undefined, 'prod'))
    await at.done(`${i}prod`)
    return await update('prod', (one) => ({ plan_id: one.ids().plan_id }))(at)
  }],
  'update changed parameter not updatable': [400, update('made', () => ({ parameters: { fixed: 'b' } }))],
  'update changed parameter not in': [400, update('made', () => ({ parameters: { none: 'b' } }))],
  'update type enum': [400, update('made', () => ({ parameters: { kind: 'z' } }))],
  'update a non-string': [202, async (at) => {
    const answer = await update('made', () => ({ parameters: { size: 2 } }))(at)
    await at.done(`${i}made`)
    return answer
  }],
  'update an update job': [422, async (at) => {
    await update('made', () => ({ parameters: { mode: 'slow' } }))(at)
    const answer = await update('made', () => ({ parameters: { size: 9 } }))(at)
    await at.done(`${i}made`)
    return answer
  }],
  'update async': [202, async (at) => {
    const answer = await update('made', () => ({ parameters: { mode: 'fast' } }))(at)
    await at.done(`${i}made`)
    return answer
  }],
  'update sync': [200, update('made', () => ({ parameters: { size: 3 } }), '')],
  'deprovision unknown': [410, (at) => at.remove('nobody')],
  'deprovision plan_id': [400, (at) => at.send('DELETE', `${i}made${later}&service_id=${at.ids().service_id}`)],
  'deprovision bindings': [202, async (at) => {
    await at.make('held')
      await bind('held/service_bindings/b1')(at)
    return await at.remove('held')
  }],
  'deprovision deprovision job': [202, async (at) => {
    await at.make('slow', { mode: 'slow' })
    await at.remove('slow')
    return await at.remove('slow')
  }],
  'deprovision sync': [200, (at) => at.remove('sync', '')],
  'bind empty': [400, (at) => at.send('PUT', `${i}made/service_bindings/x`, '{')],
  'bind instance id': [201, bind('made/service_bindings/made')],
  'bind unknown instance': [404, bind('nobody/service_bindings/x')],
  'bind same binding, same': [
    200,
    async (at) => {
      await bind('made/service_bindings/b1')(at)
      return await bind('made/service_bindings/b1')(at)
    },
  ],
  'bind same binding, other': [409, async (at) => bind('made/service_bindings/b1', '', 'on-h-apb')(at)],
  'bind launch off': [201, bind('made/service_bindings/b2')],
  'bind launch on': [202, async (at) => {
    await at.make('on', {}, 'on-h-apb')
    return await bind('on/service_bindings/b1', later, 'on-h-apb')(at)
  }],
  'bind no credentials': [500, async (at) => {
    await at.make('bare', { mode: 'bare' })
    return await bind('bare/service_bindings/b1')(at)
  }],
  'get binding no': [404, (at) => at.send('GET', `${i}bare/service_bindings/none`)],
  'get binding unknown': [404, (at) => at.send('GET', `${i}nobody/service_bindings/b`)],
  'unbind unknown': [410, (at) => at.send('DELETE', `${i}made/service_bindings/none?${new URLSearchParams(at.ids())}`)],
  'unbind launch on': [202, async (at) => {
    await at.done(`${i}on/service_bindings/b1`)
    return await at.send('DELETE', `${i}on/service_bindings/b1${later}&${new URLSearchParams(at.ids('on-h-apb'))}`)
  }],
  'unbind unbind job': [202, async (at) => {
    await at.make('on2', { mode: 'slow' }, 'on-h-apb')
    await bind('on2/service_bindings/b1', later, 'on-h-apb')(at)
    await at.done(`${i}on2/service_bindings/b1`)
    const path = `${i}on2/service_bindings/b1${later}&${new URLSearchParams(at.ids('on-h-apb'))}`
    await at.send('DELETE', path)
    return await at.send('DELETE', path)
  }],
  'unbind otherwise': [200, (at) => at.send('DELETE', `${i}made/service_bindings/b2?${new URLSearchParams(at.ids())}`)],
  'get instance ok': [200, (at) => at.send('GET', `${i}made`)],
  'get instance unknown': [404, (at) => at.send('GET', `${i}nobody`)],
  'last_operation operation missing': [200, (at) => at.send('GET', `${i}made/last_operation`)],
  'last_operation ok': [200, (at) => at.send('GET', `${i}made/last_operation`)],
  'last_operation instance': [404, (at) => at.send('GET', `${i}nobody/last_operation`)],
  'binding last_operation': [404, (at) => at.send('GET', `${i}made/service_bindings/none/last_operation`)],
}

const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^POST|^DELETE/, 'developer endpoints: bundles are tried with chandler apb'],
  [/^bootstrap/, 'sources are listed at the start, on SIGHUP and at their interval'],
  [/\|/, 'access reviews of a cluster: accounts and roles decide here'],
]

/** Asks all rows of one broker, in their order. */
export async function* judgeAnswers(document: JsonObject): AsyncGenerator<Verdict> {
  const rows = rowsOf(document, 'cases')
  const missing = ensurePrograms('busybox', 'curl')
  if (missing !== undefined) {
    yield { name: 'http', outcome: 'skipped', why: missing }
    return
  }
  const folder = freshFolder('corpus-http')
  const { reference } = await bundleImage(folder, 'h', { spec, entrypoint })
  const entry = (registry: string, launchOnBind: string) => ({
    package: reference,
    options: { registry, launchOnBind, namespace: 'n' },
  })
  const broker = await startTestBroker('', undefined, offeringOn([entry('off', 'never'), entry('on', 'always')]))
  try {
    const at = await new Caller(broker).learn()
    await at.make('made')
    for (const row of rows) {
      const name = `${row['op']} ${row['when']}`
      const [, why] = elsewhere.find(([pattern]) => pattern.test(String(row['op']))) ?? []
      const [, found] = Object.entries(asked).find(([start]) => name.startsWith(start)) ?? []
      if (why !== undefined) yield { name: `http ${name}`, outcome: 'skipped', why }
      else if (found === undefined) yield { name: `http ${name}`, outcome: 'failed', why: 'nothing asks this' }
      else {
        const { status } = await found[1](at)
        const wanted = found[0]
        yield status === wanted
          ? { name: `http ${name}`, outcome: 'passed' }
          : { name: `http ${name}`, outcome: 'failed', why: `got ${status}, wanted ${wanted}` }
      }
    }
  } finally {
    await broker.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
