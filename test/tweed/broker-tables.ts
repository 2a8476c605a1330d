/** Judges the tables of states and of answers against a whole broker: one pattern that behaves as its parameters say. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/kit/clock.ts'
import { deepEqual, isObject, type Json, type JsonObject } from '../../src/kit/json.ts'
import type { Case } from './case.ts'
import type { Theatre } from './case-run.ts'
import { Stage } from './case-stage.ts'
import { judgeIdentifier } from './identifiers.ts'
import type { Answer } from './osb.ts'
import type { Row } from './tables.ts'

/** How an operation behaves; `slow` ends well after a moment, `hang` never. */
type Behaviour = 'ok' | 'fail' | 'signal' | 'hang' | 'slow' | 'list' | 'half'

const play = `want=$(tr -d ' ' < "$2" | sed -n "s/.*\\"$1\\":\\"\\([a-z]*\\)\\".*/\\1/p")
case "$want" in
  fail) echo "told to fail" >&2; exit 3;;
  signal) sh -c 'kill -SEGV $$'; exit $?;;
  hang) sleep 600;;
  slow) sleep 1;;
  list) echo "- a"; exit 0;;
  half) echo "user: half"; exit 4;;
esac
[ "$1" = bind ] && echo "user: whole"
exit 0
`
const inputs = Object.fromEntries(
  ['provision', 'bind', 'unbind', 'deprovision', 'tag'].map((name) => [name, { type: 'string' }]),
)

/** The case whose image plays every row. */
export const actor: Case = {
  id: 'actor',
  title: 'behaves as its parameters say',
  image: {
    metadata: { inputs },
    files: { '/lib/play': play },
    ops: {
      provision: 'cp "$INPUTS" "$CREDSTORE/in"\nexec /bin/sh /lib/play provision "$INPUTS"\n',
      bind: 'exec /bin/sh /lib/play bind "$CREDSTORE/in"\n',
      unbind: 'cat "$BINDING"\nexec /bin/sh /lib/play unbind "$CREDSTORE/in"\n',
      deprovision: 'exec /bin/sh /lib/play deprovision "$CREDSTORE/in"\n',
    },
  },
  settings: { timeoutSeconds: { provision: 4, bind: 4, unbind: 4, deprovision: 4 }, killGraceSeconds: 0 },
  steps: [],
}

export class BrokerTables {
  readonly #stage: Stage
  readonly #folder: string
  #count = 0

  private constructor(stage: Stage, folder: string) {
    this.#stage = stage
    this.#folder = folder
  }

  static async open({ folder, shop, settings }: Theatre): Promise<BrokerTables> {
    const reference = await shop.build('actor', actor.image)
    const place = mkdtempSync(join(folder, 'actor-'))
    return new BrokerTables(
      new Stage({
        folder: place,
        images: join(folder, 'images'),
        reference,
        case: actor,
        ...(settings ? { settings } : {}),
        plans: [{ name: 'limited', limit: 0 }],
      }),
      place,
    )
  }

  close(): Promise<void> {
    return this.#stage.close()
  }

  /** What differs from a row of identifiers. */
  judgeIdentifier(row: Row): Promise<readonly string[]> {
    return judgeIdentifier(this.#stage, this.#folder, row)
  }

  /** What differs from a row of answers. */
  async judgeOsb(row: Row): Promise<readonly string[]> {
    const instance = this.#fresh()
    const operation = String(row['operation'])
    const outcome = String(row['outcome'])
    const first = await this.#ask(instance, operation, outcome)
    const request = ruled(outcome, row['request'])
    const faults: string[] = [...this.#differs('request', request, first)]
    const binding = operation.endsWith('bind') ? '/service_bindings/b1' : ''
    if (row['lastOperation']) {
      const last =
        outcome === 'running' ? await this.#poll(instance, binding) : await this.#finish(instance, binding)
      faults.push(...this.#differs('last_operation', row['lastOperation'], last))
    }
    for (const [key, path] of [
      ['getInstance', ''],
      ['getBinding', '/service_bindings/b1'],
    ] as const) {
      if (row[key] === undefined) continue
      const { status } = await this.#stage.osb('GET', `/${instance}${path}`)
      if (status !== row[key]) faults.push(`${key}: expected ${String(row[key])}, found ${status}`)
    }
    return faults
  }

  async #ask(instance: string, operation: string, outcome: string): Promise<Answer> {
    const behaviour = behaviourOf(outcome)
    switch (operation) {
      case 'provision':
        if (outcome === 'parameters refused') return this.#provision(instance, { unknown: 'x' })
        if (outcome === 'client is synchronous') return this.#provision(instance, {}, { query: '' })
        if (outcome.startsWith('limit')) return this.#provision(instance, {}, { plan: 1 })
        return this.#provision(instance, { provision: outcome === 'running' ? 'slow' : behaviour })
      case 'bind':
        if (outcome === 'instance busy') {
          await this.#provision(instance, { provision: 'slow' })
          return this.#send('PUT', instance, 'b1')
        }
        await this.#ready(instance, { bind: behaviour })
        return this.#send('PUT', instance, 'b1')
      case 'unbind':
        await this.#ready(instance, { unbind: behaviour })
        if (!outcome.startsWith('unknown')) await this.#bound(instance)
        return this.#send('DELETE', instance, 'b1')
      case 'deprovision':
        if (!outcome.startsWith('unknown')) await this.#ready(instance, { deprovision: behaviour })
        return this.#send('DELETE', instance)
      default: {
        await this.#ready(instance, {})
        const ids = await this.#stage.ids()
        return this.#stage.osb(
          'PATCH',
          `/${instance}?accepts_incomplete=true`,
          JSON.stringify({ service_id: ids.service_id, parameters: { tag: 'other' } }),
        )
      }
    }
  }

  /** What differs from a transition of an instance. */
  async judgeInstance(row: Row): Promise<readonly string[]> {
    const faults: string[] = []
    for (const event of eventsOf(row)) {
      const instance = this.#fresh()
      const answer = await this.#instanceEvent(instance, from(row), event)
      if (from(row) === 'provisioning' && answer && answersOtherwise(event, answer)) {
        await this.#settle(instance)
        continue
      }
      const state = await this.#stage.instanceState(instance)
      const to = row['to'] === 'remembered state' ? 'provisioned' : row['to']
      if (state !== to) faults.push(`${event}: expected ${String(to)}, found ${state}`)
      if (answer && row['osb'] !== undefined) faults.push(...saysOsb(event, row['osb'], answer))
      await this.#settle(instance)
    }
    return faults
  }

  async #instanceEvent(instance: string, from: string, event: string): Promise<Answer | undefined> {
    const ending = behaviourOf(event)
    const isEnd = /^(exit|signal|timeout)/.test(event)
    switch (from) {
      case 'provisioning':
        await this.#provision(instance, { provision: isEnd ? ending : 'slow' })
        break
      case 'provisioned':
        await this.#ready(instance, {})
        break
      case 'failed':
        await this.#provision(instance, { provision: 'fail' })
        await this.#finish(instance)
        break
      case 'deprovisioning':
        await this.#ready(instance, { deprovision: isEnd ? ending : 'slow' })
        if (event === 'unbind') await this.#bound(instance)
        await this.#send('DELETE', instance)
        break
      case 'gone':
        await this.#ready(instance, {})
        await this.#send('DELETE', instance)
        await this.#finish(instance)
        break
    }
    if (isEnd) {
      await this.#finish(instance)
      return undefined
    }
    switch (event) {
      case 'provision':
        return this.#provision(instance, from === 'gone' || from === 'none' ? { provision: 'slow' } : {})
      case 'provision same request':
        return this.#provision(instance, from === 'provisioning' ? { provision: 'slow' } : {})
      case 'provision other request':
        return this.#provision(instance, { tag: 'other' })
      case 'bind':
        return this.#send('PUT', instance, 'b1')
      case 'unbind':
        return this.#send('DELETE', instance, 'b1')
      default:
        return this.#send('DELETE', instance)
    }
  }

  /** What differs from a transition of a binding. */
  async judgeBinding(row: Row): Promise<readonly string[]> {
    const faults: string[] = []
    for (const event of eventsOf(row)) {
      const instance = this.#fresh()
      const answer = await this.#bindingEvent(instance, from(row), event)
      const to = row['to'] === 'remembered state' ? 'bound' : row['to']
      const state = (await this.#stage.bindings(instance))['b1'] ?? 'none'
      if (state !== to) faults.push(`${event}: expected ${String(to)}, found ${state}`)
      if (answer && row['osb'] !== undefined) faults.push(...saysOsb(event, row['osb'], answer))
      if (row['bindingFile'] !== undefined) {
        const expected = row['bindingFile'] === 'the map' ? '{"user":"half"}' : row['bindingFile']
        await this.#send('DELETE', instance, 'b1')
        await this.#finish(instance, '/service_bindings/b1')
        const log = (await this.#stage.logOf(instance, 'unbind')).trim()
        if (log !== expected) faults.push(`$BINDING: expected ${String(expected)}, found ${log}`)
      }
      await this.#settle(instance)
    }
    return faults
  }

  async #bindingEvent(instance: string, from: string, event: string): Promise<Answer | undefined> {
    const isEnd = /^(exit|signal|timeout)/.test(event)
    const how = behaviourOf(event)
    const parameters = {
      bind: { failed: 'fail', binding: how }[from] ?? 'ok',
      unbind: from === 'unbinding' ? how : 'ok',
    }
    await this.#ready(instance, event === 'bind' && from === 'none' ? { bind: 'slow' } : parameters)
    if (from !== 'none') {
      await this.#send('PUT', instance, 'b1')
      await this.#finish(instance, '/service_bindings/b1')
    }
    if (from === 'unbinding') await this.#send('DELETE', instance, 'b1')
    if (isEnd) {
      await this.#finish(instance, '/service_bindings/b1')
      return undefined
    }
    if (event.startsWith('bind')) return this.#send('PUT', instance, 'b1')
    if (event === 'read credentials') return this.#stage.osb('GET', `/${instance}/service_bindings/b1`)
    const answer = await this.#send('DELETE', instance, 'b1')
    return answer
  }

  #fresh(): string {
    return `t${this.#count++}`
  }

  async #ready(instance: string, parameters: Readonly<Record<string, string>>): Promise<void> {
    await this.#provision(instance, parameters)
    await this.#finish(instance)
  }

  async #bound(instance: string): Promise<void> {
    await this.#send('PUT', instance, 'b1')
    await this.#finish(instance, '/service_bindings/b1')
  }

  async #provision(
    instance: string,
    parameters: Readonly<Record<string, string>>,
    how: { readonly query?: string; readonly plan?: number } = {},
  ): Promise<Answer> {
    const ids = await this.#stage.ids(how.plan)
    const body = { ...ids, organization_guid: 'o', space_guid: 's', parameters }
    return this.#stage.osb(
      'PUT',
      `/${instance}${how.query ?? '?accepts_incomplete=true'}`,
      JSON.stringify(body),
    )
  }

  async #send(method: 'PUT' | 'DELETE', instance: string, binding?: string): Promise<Answer> {
    const ids = await this.#stage.ids()
    const path = `/${instance}${binding === undefined ? '' : `/service_bindings/${binding}`}`
    if (method === 'PUT') {
      return this.#stage.osb('PUT', `${path}?accepts_incomplete=true`, JSON.stringify(ids))
    }
    const query = new URLSearchParams({ ...ids, accepts_incomplete: 'true' })
    return this.#stage.osb('DELETE', `${path}?${query}`)
  }

  #poll(instance: string, binding: string): Promise<Answer> {
    return this.#stage.osb('GET', `/${instance}${binding}/last_operation`)
  }

  /** Polls until the operation has ended. */
  async #finish(instance: string, binding = ''): Promise<Answer> {
    for (;;) {
      const answer = await this.#poll(instance, binding)
      if ((answer.body as { readonly state?: string }).state !== 'in progress') return answer
      await systemClock.sleep(20)
    }
  }

  /** What still runs may not disturb the next row. */
  async #settle(instance: string): Promise<void> {
    await this.#finish(instance)
    await this.#finish(instance, '/service_bindings/b1')
  }

  #differs(what: string, expected: Json | undefined, { status, body }: Answer): readonly string[] {
    if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) return []
    const found = body as { readonly [key: string]: Json }
    const want = expected as { readonly [key: string]: Json }
    const statuses = Array.isArray(want['status']) ? want['status'] : [want['status']]
    const faults: string[] = []
    if (!statuses.includes(status)) faults.push(`${what}: expected ${statuses.join(' or ')}, found ${status}`)
    if (status === 410) return faults
    for (const [key, name] of [
      ['error', 'error'],
      ['state', 'state'],
      ['instanceUsable', 'instance_usable'],
    ] as const) {
      if (key in want && !deepEqual(want[key], found[name]))
        faults.push(`${what} ${name}: expected ${String(want[key])}, found ${String(found[name])}`)
    }
    if (want['descriptionPresent'] && !found['description']) faults.push(`${what}: no description`)
    return faults
  }
}

function from(row: Row): string {
  return String(row['from'])
}

/**
 * Where the house goes further than the table: deleting what is still being made stops it, as the Open Service Broker
 * API recommends, and a binding of an instance that is not there yet cannot exist.
 */
function answersOtherwise(event: string, { status }: Answer): boolean {
  return (event === 'deprovision' && status === 202) || (event === 'unbind' && status === 410)
}

/** A failure of the start needs an image that cannot start; case INV-07 is about that. */
function eventsOf(row: Row): readonly string[] {
  return String(row['event'])
    .replace(' without a map', '')
    .split(' | ')
    .filter((event) => event !== 'start failure')
}

function behaviourOf(event: string): Behaviour {
  if (event === 'exit non-zero and one YAML map') return 'half'
  if (event.includes('anything else') || event === 'exit 0 and no map') return 'list'
  if (event.startsWith('exit non-zero')) return 'fail'
  if (event === 'signal') return 'signal'
  return event === 'timeout' ? 'hang' : 'ok'
}

function saysOsb(event: string, expected: Json, { status, body }: Answer): readonly string[] {
  const [, code = '', word] = /^(\d+)(?: (\w+))?$/.exec(String(expected)) ?? []
  const { error } = body as { readonly error?: string }
  if (String(status) === code && (word === undefined || word === error)) return []
  return [`${event}: expected ${String(expected)}, found ${status} ${error ?? ''}`]
}

/** A limit that is used up is told as a quota is, with 403: the ruling on all platforms stands above the table. */
function ruled(outcome: string, request: Json | undefined): Json | undefined {
  if (!outcome.startsWith('limit') || !isObject(request)) return request
  return { ...(request as JsonObject), status: 403 }
}
