/** Instances that earlier versions kept in sealed files: taken into the store once, each before its file is removed. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { adoptInstance } from '../broker/adopt.ts'
import { makeCatalog } from '../broker/catalog.ts'
import { offeringsOf } from '../broker/offering.ts'
import type { Ports } from '../broker/ports.ts'
import { systemChance, systemClock } from '../kit/clock.ts'
import { decode } from '../kit/codec.ts'
import type { JsonObject } from '../kit/json.ts'
import type { BindingAnswer, Carryover, Output } from '../model/outcome.ts'
import type { OperatorChoice, Package } from '../model/package.ts'
import { toProblem } from '../model/problem.ts'
import type { KeyRing } from '../store/keys.ts'
import { makeSealer, type Sealer } from '../store/sealer.ts'
import { localOffers, planNamed } from './offers.ts'

/** As the files have it. */
interface SealedInstance {
  readonly name: string
  readonly package: Package
  readonly plan?: string
  readonly state: 'ready' | 'failed'
  readonly operator: OperatorChoice
  readonly parameters: JsonObject
  readonly carryover: Carryover
  readonly bindings: Readonly<
    Record<string, { readonly carryover: Carryover; readonly answer?: BindingAnswer }>
  >
  readonly outputs: readonly Output[]
}

/** Another command may do the same at the same time: what is there already is only removed. */
export async function takeOver(folder: string, ring: KeyRing, ports: Ports): Promise<void> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sealed'))
  if (files.length === 0) return
  const sealer = makeSealer(ring, systemChance, 'local')
  for (const name of files) {
    const file = join(folder, name)
    if (!existsSync(file)) continue
    const instance = readSealed(sealer, file, decodeURIComponent(name.slice(0, -'.sealed'.length)))
    const there = await ports.store.look.instance({ platform: 'local', instance: instance.name })
    if (there === undefined || there.state === 'gone') await adopt(ports, instance).catch(unlessThere)
    rmSync(file, { force: true })
  }
}

/** Another command has taken it over between the look and the order. */
function unlessThere(error: unknown): void {
  if (toProblem(error).code !== 'instance.exists') throw error
}

function readSealed(sealer: Sealer, file: string, name: string): SealedInstance {
  const envelope = decode<Parameters<Sealer['unseal']>[2]>(readFileSync(file, 'utf8'))
  return decode<SealedInstance>(Buffer.from(sealer.unseal('local', name, envelope)).toString())
}

async function adopt(ports: Ports, sealed: SealedInstance): Promise<void> {
  const offer = planNamed(localOffers(sealed.package, sealed.operator.options), sealed)
  await ports.store.write(async (tx) => {
    for (const offering of offeringsOf(makeCatalog([offer]))) await tx.putOffering(offering)
  })
  const asker = {
    platform: 'local',
    account: { kind: 'system', id: ports.node },
    requestId: ports.newId(systemClock.now()),
  } as const
  const { name: instance, state, parameters, carryover, outputs } = sealed
  await adoptInstance(ports, asker, {
    instance,
    offer,
    state,
    parameters,
    context: {},
    carryover,
    outputs,
    bindings: Object.entries(sealed.bindings).map(([binding, one]) => ({ binding, ...one })),
  })
}
