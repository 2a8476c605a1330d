/** Instances as rows. */
import type { Reach } from '../model/access.ts'
import type { Instance, InstanceKey } from '../model/instance.ts'
import type { Row, Session, Value } from './database.ts'
import type { InstanceFilter } from './filters.ts'
import { cursorOf, openCursor, pageOf } from './page.ts'
import { compact, maybeJson, maybeText, number, text, toJson } from './row.ts'
import type { Page } from './store.ts'
import { withinTenants } from './tenants.ts'

const columns = `platform, id, state, tenant, current_operation, generation, service_id, plan_id, digest, organization,
  space, name, dashboard_url, labels, attributes, maintenance, created_at, updated_at`

const select = `SELECT ${columns} FROM instances WHERE platform = ? AND id = ?`

const insert = `INSERT INTO instances (state, tenant, current_operation, generation, service_id, plan_id, digest, organization,
  space, name, dashboard_url, labels, attributes, maintenance, created_at, updated_at, platform, id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const update = `UPDATE instances SET state = ?, tenant = ?, current_operation = ?, generation = ?, service_id = ?, plan_id = ?,
  digest = ?, organization = ?, space = ?, name = ?, dashboard_url = ?, labels = ?, attributes = ?, maintenance = ?,
  created_at = ?, updated_at = ? WHERE platform = ? AND id = ?`

/** One instance, or undefined. */
export async function findInstance(session: Session, key: InstanceKey): Promise<Instance | undefined> {
  const row = await session.get(select, key.platform, key.instance)
  return row && instanceOf(row)
}

/** One instance, locked until the end of the transaction. */
export async function lockInstance(session: Session, key: InstanceKey): Promise<Instance | undefined> {
  const row = await session.get(select + session.dialect.forUpdate, key.platform, key.instance)
  return row && instanceOf(row)
}

/** Writes a row that is there already, or one that is not: two writers that both saw nothing must not overwrite each other. */
export async function putInstance(session: Session, instance: Instance, isThere: boolean): Promise<void> {
  await session.send(isThere ? update : insert, ...valuesOf(instance))
}

/** How lists may be ordered: the columns, what compares with the last item of the page before, and its mark. */
const orders = {
  id: {
    by: 'id, platform',
    beyond: '(id > ? OR id = ? AND platform > ?)',
    marks: ([id, platform]: Marks): readonly Value[] => [id, id, platform],
    cursor: ({ instance, platform }: Instance) => cursorOf(instance, platform),
    parts: 2,
  },
  latest: {
    by: 'updated_at DESC, id DESC, platform DESC',
    beyond: '(updated_at, id, platform) < (?, ?, ?)',
    marks: ([updatedAt, id, platform = '']: Marks): readonly Value[] => [Number(updatedAt), id, platform],
    cursor: ({ updatedAt, instance, platform }: Instance) => cursorOf(String(updatedAt), instance, platform),
    parts: 3,
  },
} as const

type Marks = readonly [string, string, ...string[]]

/** A page, in the order of ids or the latest change first. */
export async function listInstances(session: Session, filter: InstanceFilter): Promise<Page<Instance>> {
  const conditions: string[] = []
  const values: Value[] = []
  const add = (condition: string, ...more: readonly Value[]): void => {
    conditions.push(condition)
    values.push(...more)
  }
  add(...withinTenants('tenant', filter.tenants))
  if (filter.platform !== undefined) add('platform = ?', filter.platform)
  if (filter.serviceId !== undefined) add('service_id = ?', filter.serviceId)
  if (filter.planId !== undefined) add('plan_id = ?', filter.planId)
  if (filter.state !== undefined) add('state = ?', filter.state)
  if (filter.isPresent) add("state <> 'gone'")
  // No valid text sorts behind U+10FFFF, so this is "begins with" as a range of the index.
  if (filter.text !== undefined)
    add('(id >= ? AND id < ? OR name = ?)', filter.text, `${filter.text}\u{10ffff}`, filter.text)
  if (filter.beginning !== undefined) {
    const range = [filter.beginning, `${filter.beginning}\u{10ffff}`]
    add('(id >= ? AND id < ? OR name >= ? AND name < ?)', ...range, ...range)
  }
  const order = orders[filter.order ?? 'id']
  if (filter.after !== undefined)
    add(order.beyond, ...order.marks(openCursor(filter.after, order.parts) as Marks))
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  // The keys first: an index holds all that most filters ask for, so that only one page of rows is read.
  const rows = await session.all(
    `SELECT ${columns} FROM instances WHERE (platform, id) IN
      (SELECT platform, id FROM instances ${where} ORDER BY ${order.by} LIMIT ?) ORDER BY ${order.by}`,
    ...values,
    filter.most + 1,
  )
  return pageOf(rows.map(instanceOf), filter.most, order.cursor)
}

/** How many instances there are, of a plan or all plans, of a platform or all platforms, of some tenants or all. */
export async function countInstances(
  session: Session,
  planId: string | undefined,
  platform: string | undefined,
  tenants?: Reach,
): Promise<number> {
  const [within, ...values] = withinTenants('tenant', tenants)
  const row = await session.get(
    `SELECT count(*) AS many FROM instances WHERE state <> 'gone'
      ${planId === undefined ? '' : 'AND plan_id = ?'} ${platform === undefined ? '' : 'AND platform = ?'}
      ${tenants === undefined ? '' : `AND ${within}`}`,
    ...[planId, platform].filter((value) => value !== undefined),
    ...values,
  )
  return row ? number(row, 'many') : 0
}

/** Whether an instance of this platform that is not gone has this name. */
export async function hasInstanceNamed(session: Session, platform: string, name: string): Promise<boolean> {
  const row = await session.get(
    "SELECT id FROM instances WHERE name = ? AND platform = ? AND state <> 'gone' LIMIT 1",
    name,
    platform,
  )
  return row !== undefined
}

function instanceOf(row: Row): Instance {
  return compact<Instance>({
    platform: text(row, 'platform'),
    instance: text(row, 'id'),
    state: text(row, 'state') as Instance['state'],
    tenant: text(row, 'tenant'),
    currentOperation: maybeText(row, 'current_operation'),
    generation: number(row, 'generation'),
    serviceId: text(row, 'service_id'),
    planId: text(row, 'plan_id'),
    digest: text(row, 'digest'),
    organization: text(row, 'organization'),
    space: text(row, 'space'),
    name: maybeText(row, 'name'),
    dashboardUrl: maybeText(row, 'dashboard_url'),
    labels: maybeJson<NonNullable<Instance['labels']>>(row, 'labels'),
    attributes: maybeJson(row, 'attributes'),
    maintenance: maybeText(row, 'maintenance'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
  })
}

function valuesOf(instance: Instance): readonly Value[] {
  return [
    instance.state,
    instance.tenant,
    instance.currentOperation ?? null,
    instance.generation,
    instance.serviceId,
    instance.planId,
    instance.digest,
    instance.organization,
    instance.space,
    instance.name ?? null,
    instance.dashboardUrl ?? null,
    toJson(instance.labels),
    toJson(instance.attributes),
    instance.maintenance ?? null,
    instance.createdAt,
    instance.updatedAt,
    instance.platform,
    instance.instance,
  ]
}
