/** Packages that authors offer to their own tenant: read within the limits of that tenant, and seen by no other. */
import { parseReference } from '../artifacts/reference.ts'
import type { Offer } from '../broker/catalog.ts'
import { offersOf } from '../broker/offer.ts'
import { platformRefusals } from '../broker/offerable.ts'
import type { SandboxReading } from '../broker/sandbox.ts'
import type { Engine } from '../engines/engine.ts'
import { fitToOperator } from '../host/fit.ts'
import { contractNamed, isKept, type ReadingContext, readPackage } from '../host/read-package.ts'
import { sha256, uuidOf } from '../kit/hash.ts'
import type { JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Package } from '../model/package.ts'
import { fail, failAll } from '../model/problem.ts'
import { type SandboxPackage, sandboxName } from '../model/sandbox.ts'
import { jobWithin, ruled, type TenantRule } from '../model/tenant-rule.ts'
import type { Enrolment, Store } from '../store/store.ts'
import { isReadAs, isVouched, knownOf, type Remembered, sameHost, whatToRemember } from './enrol.ts'
import type { SandboxReadings } from './sandbox-readings.ts'

export interface SandboxContext extends ReadingContext {
  /** What holds for tenants now. */
  readonly tenants: () => readonly TenantRule[]
}

/** A package that stands in the sandbox of its tenant. */
export interface Sandboxed {
  readonly row: SandboxPackage
  readonly package: Package
}

const options: JsonObject = {}

/** What an author may offer: an image of one of these registries, pinned. Problems: reference.invalid. */
export function checkReference(reference: string, registries: readonly string[]): void {
  const refuse = (why: string) =>
    fail('reference.invalid', why, { where: { source: 'body', pointer: '/reference' } })
  if (!reference.startsWith('docker://'))
    refuse('a sandbox takes packages of registries: docker://HOST/NAME@sha256:…')
  const parsed = parseReference(reference)
  if (parsed.kind !== 'registry' || parsed.digest === undefined)
    refuse('it must name the digest: docker://HOST/NAME@sha256:…')
  else if (!registries.includes(parsed.host))
    refuse(`${parsed.host} is no registry of the sandbox; those are ${registries.join(', ')}`)
}

/** Reads a package for a tenant before it is offered. Problems: all that readings have; catalog.refused. */
export async function readForSandbox(
  room: SandboxContext,
  row: SandboxPackage,
  signal: AbortSignal,
): Promise<SandboxReading> {
  const read = await readPackage(within(room, row.tenant), {
    reference: row.reference,
    signedBy: [],
    options,
    ...present({ contract: row.contract }),
    signal,
    progress: () => undefined,
    log: () => Promise.resolve(),
  })
  const { offers, problems } = offered({ row, package: read.package })
  failAll([...problems, ...(problems.length === 0 ? platformRefusals(offers) : [])])
  const document: Remembered = { ...whatToRemember(read), options, tenant: row.tenant }
  return {
    digest: read.package.digest,
    contract: read.contract.name,
    document: document as unknown as JsonObject,
  }
}

interface LoadOrder {
  readonly store: Store
  readonly room: SandboxContext
  readonly enrolments: readonly Enrolment[]
  readonly readings: SandboxReadings
}

/**
 * What stands in all sandboxes, as far as it was read; nothing here waits for a registry. What may have changed since is offered as it was, and
 * read anew meanwhile.
 */
export async function loadSandboxes({
  store,
  room,
  enrolments,
  readings,
}: LoadOrder): Promise<readonly Sandboxed[]> {
  const loaded: Sandboxed[] = []
  const known = new Map(enrolments.map((one) => [one.name, one]))
  const rows = await store.look.sandboxPackages()
  readings.keep(rows)
  for (const row of rows) {
    const found = known.get(sandboxName(row))
    const before = found?.reference === row.reference ? found : undefined
    if (before === undefined || !isOffered(before, room)) {
      readings.ask(row, before?.state === 'refused' ? 'refused' : 'unread')
      continue
    }
    const own = readings.found(row)
    const pkg = own ?? knownOf(before).package
    loaded.push({ row, package: pkg })
    const kept = contractNamed(before.contract).keeps?.(pkg) ?? []
    const isSure = own !== undefined || sameHost(before)
    if (!isSure || !(await isKept(room.artifacts, kept))) readings.ask(row, 'offered')
  }
  return loaded
}

/** Whether it may be offered as it was read: its signatures were held against the policy of now. */
function isOffered(before: Enrolment, room: SandboxContext): boolean {
  return before.state === 'offered' && isReadAs(before, { options }) && isVouched(before, room, [])
}

/** Whatever a reading runs, runs where and how packages of the tenant do. */
function within(room: SandboxContext, tenant: string): ReadingContext {
  const rules = room.tenants()
  const name = ruled(rules, tenant, 'engine')
  const isMeant = (engine: Engine) => (name === undefined ? engine.reserved !== true : engine.name === name)
  const engines = room.engines.filter(isMeant).map((engine) => ({
    ...engine,
    layOut: (order: Parameters<Engine['layOut']>[0], watch: Parameters<Engine['layOut']>[1]) =>
      engine.layOut({ ...order, job: jobWithin(rules, tenant, order.job) }, watch),
  }))
  return { ...room, engines }
}

/**
 * The offers of a package under names and ids of the tenant: the same package may stand in several sandboxes, and in
 * the catalog itself.
 */
export function offered({ row, package: pkg }: Sandboxed): ReturnType<typeof offersOf> {
  const { tenant, sharedWith } = row
  const choice = { service: {}, plans: [], services: [], options, visibleTo: [tenant, ...sharedWith] }
  const plain = offersOf(pkg, choice, sandboxName(row))
  const fitted = plain.offers.map((offer) => fitToOperator(offer, sandboxName(row)))
  return {
    offers: fitted.map(({ offer }) => renamed(offer, row)),
    problems: [...plain.problems, ...fitted.flatMap(({ problems }) => problems)],
  }
}

function renamed({ service, plan, package: pkg }: Offer, { tenant, name }: SandboxPackage): Offer {
  const { dashboardClient: _client, ...rest } = service
  const mark = sha256(tenant).slice(0, 8)
  const own = pkg.services.length === 1 ? name : `${name}-${service.name}`
  const id = uuidOf('sandbox', tenant, name, service.name)
  const planIds = new Map(
    pkg.services.flatMap(({ plans }) => plans).map((one) => [one.id, uuidOf('plan', id, one.name)] as const),
  )
  const updatesTo = plan.updatesTo?.flatMap((one) => planIds.get(one) ?? [])
  return {
    package: pkg,
    service: { ...rest, id, name: `sandbox-${mark}-${own}` },
    plan: { ...plan, id: uuidOf('plan', id, plan.name), ...present({ updatesTo }) },
    sandbox: tenant,
  }
}
