/** Decides an invocation: an action of the package's own, beyond the life cycle, on an instance that is ready. */
import type { JsonObject } from '../kit/json.ts'
import { nearest } from '../kit/text.ts'
import type { CustomAction } from '../model/package.ts'
import { fail } from '../model/problem.ts'
import { ownerOfInstance } from '../model/sealed.ts'
import type { Transaction } from '../store/store.ts'
import { admitUpdate } from './admission.ts'
import { begin, refuseWhenFrozen } from './begin.ts'
import type { Offer } from './catalog.ts'
import { decided } from './decide.ts'
import { offerOf } from './offering.ts'
import { type Asker, orders } from './orders.ts'
import { checkParameters } from './parameters.ts'
import type { Ports } from './ports.ts'
import { rehearse } from './rehearse.ts'
import { refuseMaintenance, targetOffer } from './update.ts'

export interface Invocation {
  readonly instance: string
  readonly action: string
  readonly parameters: JsonObject
  /** How it would be with this plan; for actions that change nothing. */
  readonly planId?: string
  /** And with this version of the catalog. */
  readonly maintenance?: string
}

/** Orders an action of the package; nothing else happens to the instance meanwhile. Answers the operation. */
export async function invoke(ports: Ports, asker: Asker, invocation: Invocation): Promise<string> {
  const operation = await decided(ports, (tx, inside) => decide(tx, inside, asker, invocation))
  ports.accepted(asker.requestId)
  return operation
}

async function decide(tx: Transaction, ports: Ports, asker: Asker, invocation: Invocation): Promise<string> {
  const key = { platform: asker.platform, instance: invocation.instance }
  const instance = await tx.lockInstance(key)
  const verdict = admitUpdate(instance?.state, false)
  if (instance === undefined || verdict === 'unknown') fail('instance.unknown', invocation.instance)
  const own = await offerOf(tx, instance)
  const action = actionOf(own, invocation.action)
  const { planId, maintenance } = invocation
  if ((planId ?? maintenance) !== undefined && action.modifies)
    fail('parameters.invalid', `${action.name} runs with the plan and the version that the instance has`)
  const offer = await targetOffer(tx, ports, { from: own, tenant: instance.tenant }, invocation)
  refuseMaintenance(offer, maintenance)
  if (verdict !== 'start') fail('instance.busy')
  await refuseWhenFrozen(tx, false)
  checkParameters(invocation.parameters, action.parameters)
  await rehearse(tx, ports, asker, {
    action: { kind: 'invoke', name: action.name },
    offer,
    instance,
    tenant: instance.tenant,
    order: await orders.instance(tx, instance),
    parameters: invocation.parameters,
    carryover: await orders.carryover(tx, ownerOfInstance(instance)),
  })
  const operation = await begin(tx, ports, {
    target: key,
    tenant: instance.tenant,
    asker,
    offer,
    order: {
      action: { kind: 'invoke', name: action.name },
      parameters: invocation.parameters,
      planId: offer.plan.id,
      digest: offer.package.digest,
      ...(action.modifies ? { modifies: true } : {}),
    },
  })
  await tx.putInstance({ ...instance, state: 'updating', currentOperation: operation.id })
  return operation.id
}

function actionOf(offer: Offer, name: string): CustomAction {
  const { actions } = offer.package
  const found = actions.find((action) => action.name === name)
  if (found) return found
  const names = actions.map((action) => action.name)
  const near = nearest(name, names)
  const offered = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
  return fail('action.unknown', `${name}; ${near === undefined ? offered : `did you mean ${near}?`}`)
}
