/** The address a pretended instance would have; the same for ever. */
import type { Situation } from '../../model/situation.ts'

export function dashboardOf(situation: Situation): string {
  return `https://sim.example/instances/${encodeURIComponent(situation.instance.id)}`
}
