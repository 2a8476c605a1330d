/** Offered plans and enrolled packages as rows. */
import type { Row, Session } from './database.ts'
import { json, number, text, toJson } from './row.ts'
import type { Enrolment, Offering } from './store.ts'

const offeringColumns = 'service_id, plan_id, digest, retired, document'
const enrolmentColumns = 'name, reference, digest, contract, state, document, updated_at'

/** A plan as the package of a digest offers it, or as it is or was last offered. */
export async function findOffering(
  session: Session,
  planId: string,
  digest: string | undefined,
): Promise<Offering | undefined> {
  const row =
    digest === undefined
      ? await session.get(
          `SELECT ${offeringColumns} FROM offerings WHERE plan_id = ? ORDER BY retired, changed DESC LIMIT 1`,
          planId,
        )
      : await session.get(
          `SELECT ${offeringColumns} FROM offerings WHERE plan_id = ? AND digest = ?`,
          planId,
          digest,
        )
  return row && offeringOf(row)
}

/** All plans that are or were offered. */
export async function listOfferings(session: Session): Promise<readonly Offering[]> {
  const rows = await session.all(
    `SELECT ${offeringColumns} FROM offerings ORDER BY service_id, plan_id, changed, digest`,
  )
  return rows.map(offeringOf)
}

/** Writes a plan, new or changed. */
export async function putOffering(session: Session, offering: Offering): Promise<void> {
  // Counted and not timed, so that what was written last is last whatever the clock says.
  await session.send(
    `INSERT INTO offerings (${offeringColumns}, changed)
      SELECT ?, ?, ?, ?, ?, coalesce(max(changed), 0) + 1 FROM offerings WHERE plan_id = ?
      ON CONFLICT (plan_id, digest) DO UPDATE SET service_id = excluded.service_id,
      retired = excluded.retired, document = excluded.document, changed = excluded.changed`,
    offering.serviceId,
    offering.planId,
    offering.digest,
    offering.retired ? 1 : 0,
    toJson(offering.document),
    offering.planId,
  )
}

/** One enrolled package. */
export async function findEnrolment(session: Session, name: string): Promise<Enrolment | undefined> {
  const row = await session.get(`SELECT ${enrolmentColumns} FROM enrolments WHERE name = ?`, name)
  return row && enrolmentOf(row)
}

/** All enrolled packages by name. */
export async function listEnrolments(session: Session): Promise<readonly Enrolment[]> {
  const rows = await session.all(`SELECT ${enrolmentColumns} FROM enrolments ORDER BY name`)
  return rows.map(enrolmentOf)
}

/** Writes an enrolled package, new or changed. */
export async function putEnrolment(session: Session, enrolment: Enrolment): Promise<void> {
  await session.send(
    `INSERT INTO enrolments (${enrolmentColumns}) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET reference = excluded.reference, digest = excluded.digest,
      contract = excluded.contract, state = excluded.state, document = excluded.document,
      updated_at = excluded.updated_at`,
    enrolment.name,
    enrolment.reference,
    enrolment.digest,
    enrolment.contract,
    enrolment.state,
    toJson(enrolment.document),
    enrolment.updatedAt,
  )
}

/** Takes a package out. */
export async function removeEnrolment(session: Session, name: string): Promise<void> {
  await session.send('DELETE FROM enrolments WHERE name = ?', name)
}

function offeringOf(row: Row): Offering {
  return {
    serviceId: text(row, 'service_id'),
    planId: text(row, 'plan_id'),
    digest: text(row, 'digest'),
    retired: number(row, 'retired') === 1,
    document: json(row, 'document'),
  }
}

function enrolmentOf(row: Row): Enrolment {
  return {
    name: text(row, 'name'),
    reference: text(row, 'reference'),
    digest: text(row, 'digest'),
    contract: text(row, 'contract'),
    state: text(row, 'state') as Enrolment['state'],
    document: json(row, 'document'),
    updatedAt: number(row, 'updated_at'),
  }
}
