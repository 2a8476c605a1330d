/** What is offered is prepared for, so that even the first order of a plan finds it done. */
import type { Offer } from '../broker/catalog.ts'
import type { MountedPrograms } from '../broker/ports.ts'
import { engineFor, type Tools } from './tools.ts'

/** To be called whenever the catalog was read, with what is lent to all instances of a plan. */
export function foresee(tools: Tools, lentTo: (offer: Offer) => MountedPrograms): void {
  for (const offer of tools.ports.catalog().offers) {
    try {
      foreseeOne(tools, offer, lentTo(offer))
    } catch (error) {
      // Nothing depends on it: what was not foreseen is done when it is ordered.
      tools.report.event({ kind: 'fault', doing: 'prepare for later runs', error })
    }
  }
}

function foreseeOne(
  { ports, engines, beforehand }: Tools,
  offer: Offer,
  infrastructure: MountedPrograms,
): void {
  const offered = { ...offer, infrastructure }
  for (const job of ports.contract(offer.package.contract).foresee?.(offered) ?? []) {
    const engine = engineFor(engines, job)
    if (engine !== undefined) beforehand?.foresee(engine, job)
  }
}
