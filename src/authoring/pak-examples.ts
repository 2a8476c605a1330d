/** Runs the examples of a pak, each through its whole life: on this machine, or wherever the caller lets them live. */

import type { MountedPrograms } from '../broker/ports.ts'
import { credentialFaults, examplesOf, type PakExample, pakNotes } from '../contracts/brokerpak/index.ts'
import { inspect, type Listener } from '../host/workshop.ts'
import { isObject, type JsonObject } from '../kit/json.ts'
import { act, takingDown } from '../local/act.ts'
import { type LocalBroker, openLocalBroker } from '../local/local-broker.ts'
import { findInstance, forgetInstance, keyOf, type LocalOrder } from '../local/order.ts'
import type { ActionRan } from '../local/ran.ts'
import { trialName } from '../local/trial.ts'
import type { Package } from '../model/package.ts'
import { describeProblem, fail, failAll, toProblem } from '../model/problem.ts'

/** Where an example lives. Each step throws when it does not work. */
export interface ExampleLife {
  provision(): Promise<void>
  bind(): Promise<JsonObject>
  unbind(): Promise<void>
  deprovision(): Promise<void>
}

export interface ExampleResult {
  readonly example: PakExample
  readonly milliseconds: number
  /** Absent: it went as promised. */
  readonly fault?: string
  /** Something that may go wrong, and did. */
  readonly warning?: string
}

/** Runs one; whatever happens, nothing of it is left. */
export async function runExample(
  pkg: Package,
  example: PakExample,
  life: ExampleLife,
): Promise<ExampleResult> {
  const start = performance.now()
  const notes: { fault?: string; warning?: string } = {}
  const step = async (work: () => Promise<void>, into: 'fault' | 'warning' = 'fault'): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (error) {
      notes[into] ??= describeProblem(toProblem(error))
      return false
    }
  }
  if (await step(() => life.provision())) {
    await step(
      async () => {
        const faults = credentialFaults(pakNotes(pkg).definitions, example, await life.bind())
        if (faults.length > 0) fail('package.invalid', `credentials: ${faults.join('; ')}`)
      },
      example.bindMayFail ? 'warning' : 'fault',
    )
    await step(() => life.unbind())
  }
  await step(() => life.deprovision())
  return { example, milliseconds: performance.now() - start, ...notes }
}

export interface ExampleWish {
  readonly reference: string
  readonly dataDir: string
  readonly options: JsonObject
  /** What Terraform is given of this environment. */
  readonly lent: MountedPrograms
  /** Only examples of this name. */
  readonly only?: string
  ended(result: ExampleResult): void
}

/** Runs the examples without a server. Problems: all that is wrong with the pak at once. */
export async function testPak(wish: ExampleWish, listener: Listener): Promise<readonly ExampleResult[]> {
  const house = await openLocalBroker({ dataDir: wish.dataDir, engine: 'auto' })
  try {
    const { reference, options } = wish
    const read = await inspect(house.workshop, { reference, options, contract: 'brokerpak' }, listener)
    const results: ExampleResult[] = []
    for (const example of chosenExamples(read.package, wish.only)) {
      const life = localLife({ house, pkg: read.package, example, wish, listener })
      const result = await runExample(read.package, example, life)
      wish.ended(result)
      results.push(result)
    }
    return results
  } finally {
    await house.close()
  }
}

/** The examples of a pak, or those of one name. Problems: usage.invalid when there is none of it. */
export function chosenExamples(pkg: Package, only?: string): readonly PakExample[] {
  const all = examplesOf(pakNotes(pkg).definitions)
  const chosen = all.filter(({ name }) => only === undefined || name === only)
  return chosen.length === 0 && only !== undefined
    ? fail(
        'usage.invalid',
        `there is no example ${only}; there are ${all.map(({ name }) => name).join(', ')}`,
      )
    : chosen
}

interface Living {
  readonly house: LocalBroker
  readonly pkg: Package
  readonly example: PakExample
  readonly wish: ExampleWish
  readonly listener: Listener
}

const binding = 'example'

function localLife({ house, pkg, example, wish, listener }: Living): ExampleLife {
  const instance = trialName('example')
  const run = async (kind: 'provision' | 'bind' | 'unbind' | 'deprovision'): Promise<ActionRan> => {
    const ofBinding = kind === 'bind' || kind === 'unbind'
    const given: Readonly<Record<string, JsonObject>> = { provision: example.provision, bind: example.bind }
    const order: LocalOrder = {
      action: { kind },
      instance,
      package: pkg,
      parameters: given[kind] ?? {},
      options: wish.options,
      lent: wish.lent,
      ...(ofBinding ? { binding } : {}),
      ...(kind === 'provision' ? { service: example.service, plan: planOf(pkg, example) } : {}),
    }
    const ran = await act(house, order, kind === 'deprovision' ? takingDown(listener) : listener)
    failAll(ran.problems)
    return ran
  }
  return {
    provision: async () => void (await run('provision')),
    bind: async () => {
      const { credentials } = (await run('bind')).binding ?? {}
      return isObject(credentials) ? credentials : {}
    },
    unbind: async () => {
      const made = await house.store.look.binding({ ...keyOf(instance), binding })
      if (made !== undefined && made.state !== 'gone') await run('unbind')
    },
    deprovision: async () => {
      if (listener.leave?.aborted || (await findInstance(house, keyOf(instance))) === undefined) return
      try {
        await run('deprovision')
      } catch (error) {
        await forgetInstance(house, instance)
        throw error
      }
    },
  }
}

/** The plan that the example names, and no other. Problems: catalog.plan-unknown. */
function planOf(pkg: Package, { planId, service: wanted }: PakExample): string {
  const service = pkg.services.find((one) => one.name === wanted)
  return (
    service?.plans.find(({ id }) => id === planId)?.name ??
    fail('catalog.plan-unknown', `${planId}; the service ${wanted} does not offer it`)
  )
}
