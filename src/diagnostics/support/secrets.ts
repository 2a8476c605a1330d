/** What a support bundle must not show of the instances that it tells of: parameters, credentials, outputs. */
import { offerOf } from '../../broker/offering.ts'
import { orders } from '../../broker/orders.ts'
import { secretsOf } from '../../broker/secrets.ts'
import { situationOf } from '../../broker/situation.ts'
import type { Chance } from '../../kit/clock.ts'
import { secretTexts } from '../../kit/redact.ts'
import type { InstanceKey } from '../../model/instance.ts'
import type { Operation } from '../../model/operation.ts'
import { ownerOfInstance } from '../../model/sealed.ts'
import type { Look } from '../../store/store.ts'
import { factsOf, type KnownPorts } from '../../work/facts.ts'

export interface SecretPorts extends KnownPorts {
  readonly chance: Chance
}

/** Secrets of an operation and of its instance; files are not among them, since logs are kept without these. Problems: those of what cannot be read any more. */
export async function secretsAround(ports: SecretPorts, operation: Operation): Promise<readonly string[]> {
  const { look } = ports.store
  const { target } = operation
  return [
    ...(await secretsOfOrder(ports, operation)),
    ...(await secretsOfInstance(ports, target)),
    ...(await credentialsOf(look, target)),
  ]
}

/** What is lent is among the secrets of the settings. */
const nothingLent = {}

async function secretsOfOrder(ports: SecretPorts, operation: Operation): Promise<readonly string[]> {
  const { look } = ports.store
  const { id, stage, attempt } = operation
  // With its good end an order is erased, and lives on in its instance.
  if ((await orders.operation(look, id)) === undefined) return []
  const { knowledge } = await factsOf(ports, operation)
  const { chance } = ports
  const now = await look.now()
  const known = { ...knowledge, operation: { id, stage, attempt }, infrastructure: nothingLent, now, chance }
  return secretsOf(situationOf(known), {}).values
}

async function secretsOfInstance(
  { store, chance }: SecretPorts,
  key: InstanceKey,
): Promise<readonly string[]> {
  const { look } = store
  const instance = await look.instance(key)
  if (instance === undefined || instance.state === 'gone') return []
  const order = await orders.instance(look, key)
  const situation = situationOf({
    ...{ offer: await offerOf(look, instance), instance, order, parameters: order.parameters },
    ...{ carryover: await orders.carryover(look, ownerOfInstance(key)), infrastructure: nothingLent },
    ...{ operation: { id: '', stage: 0, attempt: 0 }, now: await look.now(), chance },
  })
  return secretsOf(situation, { outputs: await orders.outputs(look, key) }).values
}

async function credentialsOf(look: Look, key: InstanceKey): Promise<readonly string[]> {
  const bindings = await look.bindings(key)
  const answers = await Promise.all(bindings.map((binding) => orders.answer(look, binding)))
  return answers.flatMap((answer) => [...secretTexts(answer?.credentials)])
}
