/** Platforms and impatient people: they order, repeat what got no answer, delete what is still being made. */
import { bind } from '../../src/broker/bind.ts'
import { deprovision } from '../../src/broker/deprovision.ts'
import type { Asker } from '../../src/broker/orders.ts'
import type { Ports } from '../../src/broker/ports.ts'
import { provision } from '../../src/broker/provision.ts'
import { cancelOperation } from '../../src/broker/steer.ts'
import { unbind } from '../../src/broker/unbind.ts'
import { update } from '../../src/broker/update.ts'
import { enough } from '../../src/kit/enough.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { draw, type Pace, secretMark } from './contract-model.ts'
import type { Random, World } from './world.ts'

export interface Journal {
  /** Operations the broker has acknowledged. */
  readonly acknowledged: Set<string>
  /** When operations ended, and when their ids were made, in virtual time. */
  readonly ends: Map<string, number>
  readonly begins: Map<string, number>
  /** The same request, repeated without another in between, must name the same operation. */
  readonly faults: string[]
  /** Problems that are no answer a platform should ever see. */
  readonly surprises: string[]
}

export interface Client {
  live(until: number): Promise<void>
}

type Call = (ports: Ports, asker: Asker) => Promise<{ readonly operation?: string } | undefined>

const patienceMs = 20_000

export function makeClient(
  world: World,
  random: Random,
  around: {
    readonly platform: string
    readonly instance: string
    readonly journal: Journal
    readonly pace: Pace
    ports(): Ports | undefined
  },
): Client {
  const { platform, instance, journal } = around
  const asker: Asker = {
    platform,
    account: { kind: 'platform', id: platform },
    requestId: `${platform}-${instance}`,
  }
  const ids = { instance, serviceId: 'service', planId: 'plan', acceptsIncomplete: true }

  async function live(until: number): Promise<void> {
    while (world.now < until) {
      await world.sleep(random.between(10, 3000))
      const call = drawCall()
      const first = await patiently(call)
      // Platforms repeat what got no answer, and sometimes what did.
      if (first === 'no-answer' || random.chance(0.2)) {
        const again = await patiently(call)
        if (typeof first === 'object' && typeof again === 'object') compare(first.operation, again.operation)
      }
    }
  }

  /** An operation that was named twice for one request must be the same, unless it had ended in between. */
  function compare(first: string | undefined, again: string | undefined): void {
    if (first !== undefined && again !== undefined && first !== again)
      journal.faults.push(`${first} ${again}`)
  }

  function drawCall(): Call {
    const parameters = JSON.parse(
      JSON.stringify({
        token: secretMark,
        provision: draw(random, around.pace),
        update: draw(random, around.pace),
        deprovision: { ...draw(random, around.pace), milliseconds: random.between(0, 2000) },
        bind: draw(random, around.pace),
        unbind: draw(random, around.pace),
      }),
    ) as JsonObject
    const binding = `b${random.between(1, 2)}`
    const verb = random.pick([
      'provision',
      'provision',
      'update',
      'deprovision',
      'bind',
      'bind',
      'unbind',
      'cancel',
    ])
    switch (verb) {
      case 'provision':
        return async (ports, who) => {
          const answer = await provision(ports, who, {
            ...ids,
            organization: 'o',
            space: 's',
            parameters,
            context: {},
          })
          return answer.kind === 'started' ? answer : undefined
        }
      case 'update':
        return async (ports, who) => {
          const answer = await update(ports, who, {
            ...ids,
            parameters: { update: parameters['update'] ?? null },
          })
          return answer.kind === 'started' ? answer : undefined
        }
      case 'deprovision':
        return (ports, who) => deprovision(ports, who, ids)
      case 'bind':
        return async (ports, who) => {
          const answer = await bind(ports, who, { ...ids, binding, parameters })
          return answer.kind === 'started' ? answer : undefined
        }
      case 'unbind':
        return (ports, who) => unbind(ports, who, { ...ids, binding })
      default:
        return async (ports, who) => {
          const current = (await ports.store.look.instance({ platform, instance }))?.currentOperation
          if (current !== undefined) await cancelOperation(ports, who, current)
          return undefined
        }
    }
  }

  /** The answer, a refusal, or silence after a while: the node may have died over it. */
  async function patiently(
    call: Call,
  ): Promise<{ readonly operation: string | undefined } | 'refused' | 'no-answer'> {
    const ports = around.ports()
    if (ports === undefined) return 'no-answer'
    const over = new AbortController()
    const silence = world.sleep(patienceMs, over.signal).then(() => 'no-answer' as const)
    const answer = call(ports, asker).then(
      (told) => {
        if (told?.operation !== undefined) journal.acknowledged.add(told.operation)
        return { operation: told?.operation }
      },
      (error: unknown) => refusalOf(error),
    )
    const result = await Promise.race([answer, silence])
    over.abort(enough)
    return result
  }

  function refusalOf(error: unknown): 'refused' | 'no-answer' {
    if (!(error instanceof ProblemError)) {
      journal.surprises.push(String(error instanceof Error ? error.stack : error))
      return 'refused'
    }
    return error.problem.code === 'store.unavailable' ? 'no-answer' : 'refused'
  }

  return { live }
}
