/** Routes of packages: those of the catalog, and those that authors offer to their own tenants. */
import { Type } from 'typebox'
import { NewPackage, Package, toPackage, toPackageContent } from '../../api/package.ts'
import type { Ports } from '../../broker/ports.ts'
import { putInSandbox, removeFromSandbox } from '../../broker/sandbox.ts'
import { catalogSeen } from '../../broker/visible.ts'
import { present } from '../../kit/present.ts'
import { covers, permits, type Reach } from '../../model/access.ts'
import { fail } from '../../model/problem.ts'
import { type SandboxPackage, sandboxName } from '../../model/sandbox.ts'
import type { Enrolment } from '../../store/store.ts'
import { document, look, nothing, order, route } from './route.ts'

const PackageName = Type.Object({ name: Type.String() })

export const packageRoutes = [
  route({
    method: 'GET',
    url: '/packages',
    needs: 'read:packages',
    tag: 'packages',
    summary: 'Packages of the catalog, and of the sandboxes of the tenants of the account',
    audit: look,
    answers: Type.Object({ items: Type.Array(Package) }),
    handle: async ({ tenants }, { broker }) => {
      const enrolments = await broker.store.look.enrolments()
      const isSeen = packageSight(broker, tenants)
      return document({ items: enrolments.filter(isSeen).map((one) => toPackage(one)) })
    },
  }),
  route({
    method: 'GET',
    url: '/packages/:name',
    needs: 'read:packages',
    tag: 'packages',
    summary: 'One package with what it offers',
    audit: look,
    params: PackageName,
    answers: Package,
    handle: async ({ params, tenants }, { broker }) => {
      const found = await broker.store.look.enrolment(params.name)
      if (found === undefined || !packageSight(broker, tenants)(found)) fail('package.unknown', params.name)
      return document(shownOf(broker, found))
    },
  }),
  route({
    method: 'POST',
    url: '/packages',
    needs: 'create:packages',
    places: true,
    tag: 'packages',
    summary: 'Offer a package to a tenant, in the place of one of the same name there',
    audit: order('package.add'),
    body: NewPackage,
    answers: Package,
    status: 201,
    handle: async ({ body, account, asker, signal }, { broker, sandbox, takeTenants }) => {
      const { name, reference, contract, sharedWith = [] } = body
      const { tenant } = asker
      if (tenant === undefined)
        return fail('request.malformed', 'name the tenant it is for', {
          where: { source: 'body', pointer: '/tenant' },
        })
      if (sharedWith.length > 0 && !permits(account.access, 'change:tenants', undefined))
        fail('request.forbidden', 'change:tenants is needed to share it with other tenants')
      const one: SandboxPackage = {
        ...{ tenant, name, reference, sharedWith, by: account.name },
        ...present({ contract }),
      }
      const { registries = [], packagesMax = 0 } = broker.policy().sandbox ?? {}
      if (registries.length === 0) fail('package.sandbox-closed')
      // Outside of the transaction, for it may take as long as a registry does.
      const reading = await sandbox.read(one, registries, signal)
      await putInSandbox(broker, asker, { one, reading, most: packagesMax })
      await takeTenants()
      const found = await broker.store.look.enrolment(sandboxName(one))
      return document(shownOf(broker, found ?? fail('package.unknown', sandboxName(one))))
    },
  }),
  route({
    method: 'DELETE',
    url: '/packages/:name',
    needs: 'delete:packages',
    tag: 'packages',
    summary: 'Take a package out of the sandbox of its tenant; instances of it live on',
    audit: order('package.remove'),
    params: PackageName,
    status: 204,
    handle: async ({ params: { name }, asker, tenants }, { broker, takeTenants }) => {
      const all = await broker.store.look.sandboxPackages()
      const found = all.find((one) => sandboxName(one) === name)
      if (found === undefined || !isWithin(tenants, found.tenant)) return fail('package.unknown', name)
      await removeFromSandbox(broker, asker, found)
      await takeTenants()
      return nothing
    },
  }),
]

function isWithin(reach: Reach, tenant: string): boolean {
  return reach.some((one) => covers(one, tenant))
}

function shownOf(broker: Ports, found: Enrolment) {
  const offer = broker.catalog().offers.find((one) => one.package.digest === found.digest)
  return toPackage(found, offer && toPackageContent(offer.package))
}

/**
 * A package of the catalog is seen whole or not: where something of it is hidden, so is what it says of itself. One of a
 * sandbox is seen where its tenant is.
 */
function packageSight(broker: Ports, tenants: Reach): (one: Enrolment) => boolean {
  const whole = broker.catalog()
  const seen = catalogSeen(broker, tenants)
  const shown = new Set(seen.offers.map(({ plan }) => plan.id))
  const offers = whole.offers.filter(({ sandbox }) => sandbox === undefined)
  const digestsOf = (isShown: boolean) =>
    new Set(offers.flatMap(({ plan, package: of }) => (shown.has(plan.id) === isShown ? of.digest : [])))
  const [some, hidden] = [digestsOf(true), digestsOf(false)]
  const isAllSeen = seen === whole
  // What stands in a sandbox and is not offered is in no catalog, so that nothing of a catalog tells of it.
  return ({ digest, document: { tenant } }) =>
    typeof tenant === 'string'
      ? isWithin(tenants, tenant)
      : isAllSeen || (some.has(digest) && !hidden.has(digest))
}
