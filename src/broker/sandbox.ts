/** Packages that authors offer to their own tenants: written down and taken away, each with its audit record. */

import { fail } from '../model/problem.ts'
import { type SandboxPackage, sandboxName } from '../model/sandbox.ts'
import type { Enrolment, Transaction } from '../store/store.ts'
import { record } from './govern.ts'
import type { Asker } from './orders.ts'
import type { Ports } from './ports.ts'

/** What was read of a package before it is offered. */
export type SandboxReading = Pick<Enrolment, 'digest' | 'contract' | 'document'>

/** Offers a package that was read, in the place of one of the same name. Problems: broker.quota. */
export async function putInSandbox(
  ports: Ports,
  asker: Asker,
  {
    one,
    reading,
    most,
  }: { readonly one: SandboxPackage; readonly reading: SandboxReading; readonly most: number },
): Promise<void> {
  await ports.store.write(async (tx) => {
    const others = (await tx.lockSandbox(one.tenant)).filter(({ name }) => name !== one.name)
    if (others.length >= most)
      fail('broker.quota', `the sandbox of ${one.tenant} is limited to ${most} packages`)
    await tx.putSandboxPackage(one)
    await tx.putEnrolment({
      ...reading,
      name: sandboxName(one),
      reference: one.reference,
      state: 'offered',
      updatedAt: await tx.now(),
    })
    await tell(tx, ports, asker, { action: 'package.add', of: one })
  })
}

/** Takes a package out of a sandbox; what was made of it lives on. Problems: package.unknown. */
export async function removeFromSandbox(
  ports: Ports,
  asker: Asker,
  one: Pick<SandboxPackage, 'tenant' | 'name'>,
): Promise<void> {
  await ports.store.write(async (tx) => {
    const known = await tx.removeSandboxPackage(one.tenant, one.name)
    if (!known) fail('package.unknown', sandboxName(one))
    await tell(tx, ports, asker, { action: 'package.remove', of: one })
  })
}

async function tell(
  tx: Transaction,
  ports: Ports,
  asker: Asker,
  { action, of }: { readonly action: string; readonly of: Pick<SandboxPackage, 'tenant' | 'name'> },
): Promise<void> {
  await record(tx, ports, asker, { action, kind: 'package', id: sandboxName(of), tenant: of.tenant })
  tx.hint({ kind: 'sandbox' })
}
