/** Runs the examples of a pak, each through its whole life: on this machine, or wherever the caller lets them live. */
import { credentialFaults, examplesOf, type PakExample, pakNotes } from '../contracts/brokerpak/index.ts'
import { isObject, type JsonObject } from '../kit/json.ts'
import { noChoice, type Package } from '../model/package.ts'
import { describeProblem, fail, failAll, toProblem } from '../model/problem.ts'
import { actLocally, forgetLocal, type LocalInstance, newLocal } from './local-instance.ts'
import { inspect, type Listener, openWorkshop, type Workshop } from './workshop.ts'

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
  /** Only examples of this name. */
  readonly only?: string
  ended(result: ExampleResult): void
}

/** Runs the examples without a broker. Problems: all that is wrong with the pak at once. */
export async function testPak(wish: ExampleWish, listener: Listener): Promise<readonly ExampleResult[]> {
  const workshop = await openWorkshop(wish.dataDir)
  try {
    const { reference, options } = wish
    const { package: pkg } = await inspect(workshop, { reference, options, contract: 'brokerpak' }, listener)
    const results: ExampleResult[] = []
    for (const [i, example] of chosenExamples(pkg, wish.only).entries()) {
      const name = `example-${process.pid}-${i}`
      const life = localLife({ workshop, pkg, example, name, options, listener })
      const result = await runExample(pkg, example, life)
      forgetLocal(workshop, name)
      wish.ended(result)
      results.push(result)
    }
    return results
  } finally {
    await workshop.close()
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
  readonly workshop: Workshop
  readonly pkg: Package
  readonly example: PakExample
  readonly name: string
  readonly options: JsonObject
  readonly listener: Listener
}

const bindingName = 'example'

function localLife(living: Living): ExampleLife {
  const { workshop, example, listener } = living
  let instance: LocalInstance | undefined
  const act = async (kind: 'provision' | 'bind' | 'unbind' | 'deprovision') => {
    instance ??= newExample(living)
    const ofBinding = kind === 'bind' || kind === 'unbind'
    const order = {
      action: { kind },
      parameters: ofBinding ? example.bind : example.provision,
      ...(ofBinding ? { binding: bindingName } : {}),
    }
    const acted = await actLocally(workshop, instance, order, listener)
    instance = acted.instance
    failAll(acted.outcome.problems)
    return acted.outcome
  }
  return {
    provision: async () => void (await act('provision')),
    bind: async () => {
      const { credentials } = (await act('bind')).binding ?? {}
      return isObject(credentials) ? credentials : {}
    },
    unbind: async () => {
      if (instance?.bindings[bindingName] !== undefined) await act('unbind')
    },
    deprovision: async () => void (await act('deprovision')),
  }
}

/** An instance of the plan that the example names, and of no other. */
function newExample({ pkg, example, name, options }: Living): LocalInstance {
  const { planId, service: wanted } = example
  const service = pkg.services.find((one) => one.name === wanted)
  const plan = service?.plans.find(({ id }) => id === planId)
  if (service === undefined || plan === undefined)
    return fail('catalog.plan-unknown', `${planId}; the service ${wanted} does not offer it`)
  const only = { ...pkg, services: [{ ...service, plans: [plan] }] }
  return newLocal(name, only, { ...noChoice, options: { ...options, ...plan.operator.options } })
}
