/** Secrets of bindings, as rows: what is wished is written with the binding, and the process with the latest fence carries it out. */
import type { Delivery } from '../model/delivery.ts'
import type { BindingKey } from '../model/instance.ts'
import type { Row, Session } from './database.ts'
import type { Delivered } from './delivery-rows.ts'
import { compact, maybeJson, number, text, toJson } from './row.ts'

const columns = 'platform, instance, binding, namespace, wish, state, problem, failures, fence'

/** Wishes that a namespace holds what a binding gives, or that none does; whatever is under way counts no more. */
export async function wishDelivery(
  session: Session,
  { platform, instance, binding }: BindingKey,
  namespace: string | undefined,
): Promise<void> {
  await session.send(
    `UPDATE deliveries SET wish = 'gone', state = 'waits', problem = NULL, failures = 0, due_at = now_ms(), fence = fence + 1
      WHERE platform = ? AND instance = ? AND binding = ? AND namespace <> ?`,
    platform,
    instance,
    binding,
    namespace ?? '',
  )
  if (namespace !== undefined) await send(session, { platform, instance, binding, namespace, wish: 'there' })
}

/**
 * Has a delivery looked at at once, where an attempt ended after it had been taken over: what the attempt did late may
 * differ from what is wished. Where nothing is wished any more, the Secret goes.
 */
export async function remindDelivery(session: Session, delivery: Delivery): Promise<void> {
  await session.send(
    `INSERT INTO deliveries (platform, instance, binding, namespace, wish, state, failures, due_at, fence)
      VALUES (?, ?, ?, ?, 'gone', 'waits', 0, now_ms(), 1)
      ON CONFLICT (platform, instance, binding, namespace) DO UPDATE SET due_at = excluded.due_at, state = 'waits'`,
    ...keyOf(delivery),
  )
}

async function send(session: Session, one: BindingKey & Pick<Delivery, 'namespace' | 'wish'>): Promise<void> {
  await session.send(
    `INSERT INTO deliveries (platform, instance, binding, namespace, wish, state, failures, due_at, fence)
      VALUES (?, ?, ?, ?, ?, 'waits', 0, now_ms(), 1)
      ON CONFLICT (platform, instance, binding, namespace) DO UPDATE SET wish = excluded.wish, state = 'waits',
        problem = NULL, failures = 0, due_at = excluded.due_at, fence = deliveries.fence + 1`,
    ...keyOf(one),
    one.wish,
  )
}

/** Whether there is one to look at. */
export async function isDeliveryDue(session: Session): Promise<boolean> {
  const row = await session.get('SELECT 1 AS one FROM deliveries WHERE due_at <= (SELECT now_ms()) LIMIT 1')
  return row !== undefined
}

/** Takes some that are due, for so long; others take them after that. */
export async function claimDeliveries(
  session: Session,
  { leaseMs, most }: { readonly leaseMs: number; readonly most: number },
): Promise<readonly Delivery[]> {
  const due = await session.all(
    `SELECT ${columns} FROM deliveries WHERE due_at <= (SELECT now_ms()) ORDER BY due_at LIMIT ?${session.dialect.skipLocked}`,
    most,
  )
  const taken = due.map(deliveryOf).map((one): Delivery => ({ ...one, fence: one.fence + 1 }))
  for (const one of taken) {
    await session.send(
      `UPDATE deliveries SET fence = ?, due_at = now_ms() + ?
        WHERE platform = ? AND instance = ? AND binding = ? AND namespace = ?`,
      one.fence,
      leaseMs,
      ...keyOf(one),
    )
  }
  return taken
}

/** Writes down what came of an attempt, or that nothing is left of it; false: another has taken over. */
export async function putDelivered(
  session: Session,
  delivery: Delivery,
  came: Delivered | undefined,
): Promise<boolean> {
  const where = 'platform = ? AND instance = ? AND binding = ? AND namespace = ? AND fence = ?'
  const key = [...keyOf(delivery), delivery.fence]
  const changed =
    came === undefined
      ? await session.get(`DELETE FROM deliveries WHERE ${where} RETURNING binding`, ...key)
      : await session.get(
          `UPDATE deliveries SET state = ?, problem = ?, failures = ?, due_at = now_ms() + ? WHERE ${where} RETURNING binding`,
          came.state,
          came.problem === undefined ? null : toJson(came.problem),
          came.failures,
          came.againMs,
          ...key,
        )
  return changed !== undefined
}

/** Those of a binding. */
export async function listDeliveries(session: Session, key: BindingKey): Promise<readonly Delivery[]> {
  const rows = await session.all(
    `SELECT ${columns} FROM deliveries WHERE platform = ? AND instance = ? AND binding = ? ORDER BY namespace`,
    key.platform,
    key.instance,
    key.binding,
  )
  return rows.map(deliveryOf)
}

/** Those whose last attempt failed. */
export async function listFailedDeliveries(session: Session, most: number): Promise<readonly Delivery[]> {
  const rows = await session.all(
    `SELECT ${columns} FROM deliveries WHERE state = 'failed' ORDER BY platform, instance, binding LIMIT ?`,
    most,
  )
  return rows.map(deliveryOf)
}

function keyOf({
  platform,
  instance,
  binding,
  namespace,
}: BindingKey & Pick<Delivery, 'namespace'>): readonly string[] {
  return [platform, instance, binding, namespace]
}

function deliveryOf(row: Row): Delivery {
  return compact<Delivery>({
    platform: text(row, 'platform'),
    instance: text(row, 'instance'),
    binding: text(row, 'binding'),
    namespace: text(row, 'namespace'),
    wish: text(row, 'wish') as Delivery['wish'],
    state: text(row, 'state') as Delivery['state'],
    problem: maybeJson<NonNullable<Delivery['problem']>>(row, 'problem'),
    failures: number(row, 'failures'),
    fence: number(row, 'fence'),
  })
}
