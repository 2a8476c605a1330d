/** Any action of any package on this machine, without a server; what it leaves is kept, sealed, for the next. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MountedPrograms } from '../broker/ports.ts'
import { inspect, type Listener } from '../host/workshop.ts'
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import { act } from '../local/act.ts'
import { type LocalBroker, openLocalBroker } from '../local/local-broker.ts'
import { type LocalOrder, order } from '../local/order.ts'
import type { ActionRan } from '../local/ran.ts'
import type { Output } from '../model/outcome.ts'
import type { Package } from '../model/package.ts'
import { fail } from '../model/problem.ts'
import type { Action } from '../model/situation.ts'
import { buildBundle, isBundleFolder } from './apb/build.ts'
import { buildFolder, isImageFolder } from './build-folder.ts'
import { packageBehind } from './sources/build.ts'

export interface RunWish {
  /** Where the package is; a folder of sources is built first. */
  readonly reference: string
  readonly contract?: string
  /** Settings of the contract, as a catalog would have them. */
  readonly options?: JsonObject
  /** What an operator would lend. */
  readonly lent?: MountedPrograms
  readonly dataDir: string
  /** provision, update, bind, unbind, deprovision, or an action of the package's own. */
  readonly action: string
  /** The instance that is acted upon; kept on this machine between actions. */
  readonly name: string
  readonly binding: string
  /** Only provision chooses. */
  readonly plan?: string
  readonly parameters: JsonObject
  /** Where the files it hands out are written to. */
  readonly outputs?: string
}

/** The reference of an image, built first where it is a folder of a bundle or with an `image.yml`. Problems: those of building. */
export async function builtImage(
  { reference, dataDir }: Pick<RunWish, 'reference' | 'dataDir'>,
  to?: string,
): Promise<string> {
  if (isBundleFolder(reference)) return buildBundle({ folder: reference, dataDir, ...present({ to }) })
  if (!isImageFolder(reference)) return reference
  return buildFolder({ folder: reference, dataDir, ...present({ to }) })
}

/** Runs one action as a broker would; a failed run is an answer with problems. Problems: those of reading and ordering. */
export async function runAction(wish: RunWish, listener: Listener): Promise<ActionRan> {
  return inHouse(wish, listener, async (house, ordered) => {
    const ran = await act(house, ordered, listener)
    if (wish.outputs !== undefined) writeOutputs(wish.outputs, ran.outputs)
    return ran
  })
}

/** Orders the action and answers its operation, for another command to stay with. */
export async function orderAction(wish: RunWish, listener: Listener): Promise<string> {
  return inHouse(wish, listener, order)
}

async function inHouse<T>(
  wish: RunWish,
  listener: Listener,
  work: (house: LocalBroker, order: LocalOrder) => Promise<T>,
): Promise<T> {
  const { dataDir } = wish
  const { signal, progress } = listener
  const built = await packageBehind(wish.reference, { dataDir, signal, progress })
  const house = await openLocalBroker({ dataDir, engine: 'auto' })
  try {
    const { contract = built.contract, options = built.options } = wish
    const { reference } = built
    const asked = { ...wish, reference, ...present({ contract, options }) }
    const { package: pkg } = await inspect(house.workshop, asked, listener)
    return await work(house, orderOf(pkg, asked))
  } finally {
    await house.close()
  }
}

function orderOf(
  pkg: Package,
  { action: name, name: instance, binding, plan, parameters, options, lent }: RunWish,
): LocalOrder {
  const action = actionOf(pkg, name)
  const { kind } = action
  if ((kind === 'unbind' || kind === 'deprovision') && Object.keys(parameters).length > 0)
    fail('usage.invalid', `${kind} takes no parameters`)
  return {
    action,
    instance,
    package: pkg,
    parameters,
    ...present({ plan, options, lent }),
    ...(kind === 'bind' || kind === 'unbind' ? { binding } : {}),
  }
}

const lifeCycle = ['provision', 'update', 'bind', 'unbind', 'deprovision'] as const

function actionOf(pkg: Package, name: string): Action {
  const kind = lifeCycle.find((one) => one === name)
  if (kind !== undefined) return { kind }
  if (pkg.actions.some((action) => action.name === name)) return { kind: 'invoke', name }
  const names = [...lifeCycle, ...pkg.actions.map((action) => action.name)]
  return fail('action.unknown', `${name}; there are ${names.join(', ')}`, {
    hint: 'Show what it has: chandler package inspect REFERENCE',
  })
}

/** Names were checked to stay below the folder when they were collected. */
function writeOutputs(folder: string, outputs: readonly Output[]): void {
  for (const { name, content, state } of outputs) {
    if (state === 'missing' || state === 'too-large') continue
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content, { mode: 0o600 })
  }
}
