/** Wishes that a namespace of a cluster holds what a binding gives, in the transaction that gives or takes it. */
import type { JsonObject } from '../kit/json.ts'
import type { BindingKey } from '../model/instance.ts'
import type { Transaction } from '../store/store.ts'
import { orders } from './orders.ts'
import type { Ports } from './ports.ts'

/** A binding gives something from now on: where its platform wants that, a Secret of its namespace shall hold it. */
export async function wishSecret(
  tx: Transaction,
  ports: Pick<Ports, 'policy'>,
  key: BindingKey,
): Promise<void> {
  if (!ports.policy().bindingSecrets?.has(key.platform)) return
  const namespace =
    namespaceIn((await orders.binding(tx, key)).context) ??
    namespaceIn((await orders.instance(tx, key)).context)
  if (namespace !== undefined) await tx.wishDelivery(key, namespace)
}

/** What a cluster takes as the name of a namespace; anything else would be part of an address. */
function namespaceIn({ namespace }: JsonObject): string | undefined {
  return typeof namespace === 'string' && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(namespace)
    ? namespace
    : undefined
}
