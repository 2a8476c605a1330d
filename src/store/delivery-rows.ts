/** What is asked of the rows about Secrets that hold what bindings give. */
import type { Delivery } from '../model/delivery.ts'
import type { BindingKey } from '../model/instance.ts'

/** What came of an attempt. */
export interface Delivered extends Pick<Delivery, 'state' | 'problem' | 'failures'> {
  /** When it is looked at again. */
  readonly againMs: number
}

export interface DeliveryLook {
  /** Secrets of a cluster that hold what a binding gives, or shall not any more. */
  deliveries(key: BindingKey): Promise<readonly Delivery[]>
  /** Those whose last attempt failed. */
  failedDeliveries(most: number): Promise<readonly Delivery[]>
  /** Whether there is one to look at. */
  isDeliveryDue(): Promise<boolean>
}

export interface DeliveryWrites {
  /** Wishes that a namespace holds what a binding gives, and no other; without one, that none does. */
  wishDelivery(key: BindingKey, namespace: string | undefined): Promise<void>
  /** Takes some that are due, for so long; others take them after that. */
  claimDeliveries(order: { readonly leaseMs: number; readonly most: number }): Promise<readonly Delivery[]>
  /** Writes down what came of an attempt, or that nothing is left of it; false: another has taken over. */
  putDelivered(delivery: Delivery, came: Delivered | undefined): Promise<boolean>
  /** Has one looked at at once whose attempt ended too late to be written down. */
  remindDelivery(delivery: Delivery): Promise<void>
}
