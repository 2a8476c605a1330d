/** Orders of a platform, and of an operator, at a broker that is killed when a step says so. */
import { setTimeout as pause } from 'node:timers/promises'
import { isObject } from '../../../src/kit/json.ts'
import { ask } from '../../support/ask.ts'
import { accounts, type BrokerProcess } from '../../support/broker-process.ts'
import type { At, Door, Seen, Taken } from './door.ts'
import type { Step } from './life.ts'
import type { Answer } from './model.ts'
import type { LifeWares } from './wares.ts'

/** A broker that can be killed and started again. */
export interface Standing {
  readonly broker: BrokerProcess
  killAndStart(): Promise<void>
}

interface Reply {
  readonly status: number
  readonly body: { readonly [key: string]: unknown }
}

const answers: Readonly<Record<string, Answer>> = {
  succeeded: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
}
const platform = 'conformance'

export function brokerDoor(wares: LifeWares, standing: Standing): Door {
  const request = async (as: 'platform' | 'operator', method: string, path: string, body?: object) => {
    const asked = { as: accounts[as], method, ...(body === undefined ? {} : { body }) }
    const answer = await ask(standing.broker, path, asked)
    const text = await answer.text()
    const parsed: unknown = text === '' ? {} : JSON.parse(text)
    return { status: answer.status, body: isObject(parsed) ? parsed : {} }
  }
  const osb = (method: string, path: string, body?: object): Promise<Reply> =>
    request('platform', method, `/v2/service_instances/${path}`, body)
  const operator = (method: string, path: string, body?: object): Promise<Reply> =>
    request('operator', method, `/api/v1${path}`, body)
  let ids: { readonly service_id: string; readonly plan_id: string } | undefined

  async function idsOf() {
    ids ??= await offered()
    return ids
  }

  /** A package needs a moment to be read. */
  async function offered() {
    for (;;) {
      const { body } = await request('platform', 'GET', '/v2/catalog')
      const services = body['services'] as readonly {
        readonly id: string
        readonly metadata?: { readonly displayName?: string }
        readonly name: string
        readonly plans: readonly { readonly id: string }[]
      }[]
      const found = services.find(({ name }) => name === serviceName(wares))
      const [plan] = found?.plans ?? []
      if (found !== undefined && plan !== undefined) return { service_id: found.id, plan_id: plan.id }
      await pause(200)
    }
  }

  async function order(instance: string, step: Step, { wish }: At): Promise<Reply> {
    const named = await idsOf()
    const { verb, binding = 'a' } = step
    const accepts = 'accepts_incomplete=true'
    const parameters = wares.parameters(verb, { ...wish, ...step })
    const removing = `?${new URLSearchParams({ ...named, accepts_incomplete: 'true' })}`
    switch (verb) {
      case 'provision':
        return osb('PUT', `${instance}?${accepts}`, {
          ...named,
          organization_guid: 'o',
          space_guid: 's',
          parameters,
        })
      case 'update':
        return osb('PATCH', `${instance}?${accepts}`, { service_id: named.service_id, parameters })
      case 'repeat':
        return osb('PATCH', `${instance}?${accepts}`, { service_id: named.service_id })
      case 'bind': {
        const wished = wares.parameters(verb, { fails: step.fails ?? '', slow: step.slow ?? '' })
        return osb('PUT', `${instance}/service_bindings/${binding}?${accepts}`, {
          ...named,
          parameters: wished,
        })
      }
      case 'unbind':
        return osb('DELETE', `${instance}/service_bindings/${binding}${removing}`)
      case 'deprovision':
        return osb('DELETE', `${instance}${removing}`)
      case 'act':
        return operator('POST', `/instances/${platform}/${instance}/invoke`, { action: wares.action })
      case 'move':
        return move(instance)
    }
  }

  /** The state is handed out, and put in its own place. */
  async function move(instance: string): Promise<Reply> {
    const invoke = (action: string, parameters = {}) =>
      operator('POST', `/instances/${platform}/${instance}/invoke`, { action, parameters })
    const exported = await invoke('export-state')
    if (exported.status !== 202) return exported
    const id = String(exported.body['operation'])
    await follow(id, undefined)
    const { body } = await operator('GET', `/operations/${id}/outputs`)
    const [output] = (body['items'] ?? []) as readonly { readonly name: string }[]
    const asked = { as: accounts.operator }
    const path = `/api/v1/operations/${id}/outputs/${output?.name ?? ''}`
    const state = await (await ask(standing.broker, path, asked)).text()
    return invoke('import-state', { state })
  }

  async function logOf(id: string): Promise<string> {
    const { body } = await operator('GET', `/operations/${id}/log`)
    const items = (body['items'] ?? []) as readonly { readonly text: string }[]
    return items.map(({ text }) => text).join('')
  }

  /** Waits for the end of an operation, and cuts it off on the way. */
  async function follow(id: string, cut: (At & { readonly begins: RegExp }) | undefined) {
    for (let isCut = cut?.cut === undefined; ; ) {
      const { body } = await operator('GET', `/operations/${id}`)
      if (String(body['state']) in answers) return body
      if (!isCut && cut !== undefined && countOf(cut.begins, await logOf(id)) > 0) {
        isCut = true
        if (cut.cut === 'cancel') await operator('POST', `/operations/${id}/cancel`)
        else await standing.killAndStart()
      }
      await pause(50)
    }
  }

  async function take(instance: string, step: Step, at: At): Promise<Taken> {
    const reply = await order(instance, step, at)
    const said = `${reply.status} ${JSON.stringify(reply.body).slice(0, 600)}`
    if (reply.status >= 400) return { answer: 'refused', begun: 0, said }
    if (reply.status !== 202) {
      const isDone = reply.status === 201 || step.verb === 'unbind'
      return { answer: isDone ? 'done' : 'nothing', begun: 0, said, ...handedOut(reply) }
    }
    const id = String(reply.body['operation'])
    const begins = wares.begins[step.verb]
    const over = await follow(id, { ...at, begins })
    const answer = answers[String(over['state'])] ?? 'failed'
    const isBound = step.verb === 'bind' && answer === 'done'
    const fetched = isBound ? await osb('GET', `${instance}/service_bindings/${step.binding ?? 'a'}`) : reply
    return {
      answer,
      begun: countOf(begins, await logOf(id)),
      said: `${said} ${String(over['state'])}: ${String(over['reason'])}`,
      ...handedOut(fetched),
    }
  }

  async function look(instance: string): Promise<Seen> {
    const at = `/instances/${platform}/${instance}`
    const { status, body } = await operator('GET', at)
    if (status === 404 || body['state'] === 'gone') return { state: 'absent', bindings: {} }
    const bound = await operator('GET', `${at}/bindings`)
    const bindings = (
      (bound.body['items'] ?? []) as readonly { readonly id: string; readonly state: string }[]
    )
      .filter(({ state }) => state !== 'gone')
      .map(({ id, state }) => [id, state] as const)
    const listed = await operator('GET', `${at}/outputs`)
    const names = ((listed.body['items'] ?? []) as readonly { readonly name: string }[]).map(
      ({ name }) => name,
    )
    const textOf = async (name: string) =>
      names.includes(name)
        ? await (await ask(standing.broker, `/api/v1${at}/outputs/${name}`, { as: accounts.operator })).text()
        : undefined
    const [size, trail] = await Promise.all([textOf('size'), textOf('trail')])
    return {
      state: String(body['state']),
      bindings: Object.fromEntries(bindings),
      ...(size === undefined ? {} : { size: Number(size) }),
      ...(trail === undefined ? {} : { trail: trail.trim() }),
    }
  }

  return { name: `${wares.contract} by the broker`, traits: wares.traits, take, look }
}

function handedOut({ body: { credentials } }: Reply): Pick<Taken, 'credentials'> {
  return isObject(credentials) ? { credentials } : {}
}

/** What a broker calls the service. */
export function serviceName({ contract }: LifeWares): string {
  return contract === 'brokerpak' ? 'lived-pak' : `lived-${contract}`
}

export function countOf(begins: RegExp, log: string): number {
  return log.match(begins)?.length ?? 0
}
