/** Takes an instance into the memory without running anything: what it stands for was made elsewhere, or is only a record. */
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import { auditObjectOf } from '../model/audit.ts'
import type { BindingAnswer, Carryover, Output } from '../model/outcome.ts'
import { fail } from '../model/problem.ts'
import { ownerOfBinding, ownerOfInstance } from '../model/sealed.ts'
import type { Transaction } from '../store/store.ts'
import type { Offer } from './catalog.ts'
import { type Asker, orders } from './orders.ts'
import type { Ports } from './ports.ts'
import { tenantOf } from './tenant.ts'

export interface Adopted {
  readonly instance: string
  readonly offer: Offer
  readonly state: 'ready' | 'failed'
  readonly parameters: JsonObject
  readonly context: JsonObject
  readonly carryover: Carryover
  readonly outputs: readonly Output[]
  readonly bindings: readonly AdoptedBinding[]
  readonly dashboardUrl?: string
}

export interface AdoptedBinding {
  readonly binding: string
  readonly parameters?: JsonObject
  readonly carryover: Carryover
  /** Absent: its bind has failed. */
  readonly answer?: BindingAnswer
}

/** Writes the instance, its bindings and what they remember. Problems: instance.exists. */
export async function adoptInstance(ports: Ports, asker: Asker, adopted: Adopted): Promise<void> {
  const { instance, offer, state, parameters, context, carryover, outputs, bindings, dashboardUrl } = adopted
  const key = { platform: asker.platform, instance }
  await ports.store.write(async (tx) => {
    const there = await tx.lockInstance(key)
    if (there !== undefined && there.state !== 'gone') fail('instance.exists', instance)
    const now = await tx.now()
    const tenant =
      asker.tenant ?? tenantOf({ platform: asker.platform, context, organization: '', space: '' })
    await tx.putInstance({
      ...key,
      state,
      tenant,
      generation: (there?.generation ?? 0) + 1,
      serviceId: offer.service.id,
      planId: offer.plan.id,
      digest: offer.package.digest,
      organization: '',
      space: '',
      ...present({ dashboardUrl }),
      createdAt: now,
      updatedAt: now,
    })
    await orders.putInstance(tx, key, { parameters, context })
    await orders.putCarryover(tx, ownerOfInstance(key), carryover)
    if (outputs.length > 0) await orders.putOutputs(tx, key, outputs)
    for (const binding of bindings) await putBinding(tx, { ...key, ...binding }, { offer, now })
    await tx.addAudit({
      actor: asker.account,
      action: 'instance.adopt',
      object: auditObjectOf(key),
      tenant,
      decision: 'allowed',
      result: 'succeeded',
      requestId: asker.requestId,
      node: ports.node,
    })
  })
}

async function putBinding(
  tx: Transaction,
  {
    platform,
    instance,
    binding,
    parameters,
    carryover,
    answer,
  }: AdoptedBinding & { platform: string; instance: string },
  { offer, now }: { readonly offer: Offer; readonly now: number },
): Promise<void> {
  const key = { platform, instance, binding }
  await tx.putBinding({
    ...key,
    state: answer === undefined ? 'failed' : 'bound',
    serviceId: offer.service.id,
    planId: offer.plan.id,
    createdAt: now,
    updatedAt: now,
  })
  if (parameters !== undefined) await orders.putBinding(tx, key, { parameters, resource: {}, context: {} })
  await orders.putCarryover(tx, ownerOfBinding(key), carryover)
  if (answer !== undefined) await orders.putAnswer(tx, key, answer)
}
