/** Services of a package that is offered under another name now: their instances stay with the old one. */
import type { Catalog } from '../broker/catalog.ts'
import { offerOf } from '../broker/offering.ts'
import type { Problem } from '../model/problem.ts'
import type { Store } from '../store/store.ts'
import type { EnrolWord } from './enrol.ts'

/** A plan that is not offered any more, of a content that is. */
interface Left {
  readonly planId: string
  readonly digest: string
}

/** Tells each such service that has instances. Ids of bundles hang on the name of their registry. */
export async function tellRenamed(
  { look }: Store,
  catalog: Catalog,
  left: readonly Left[],
  tell: (word: EnrolWord) => void,
): Promise<void> {
  const now = new Map(catalog.offers.map(({ package: pkg, service }) => [pkg.digest, service.name]))
  const counts = new Map<string, { readonly digest: string; readonly instances: number }>()
  for (const { planId, digest } of left.filter((one) => now.has(one.digest))) {
    const { service } = await offerOf(look, { planId, digest })
    const instances = await look.countInstances(planId)
    if (instances === 0 || catalog.knowsService(service.id)) continue
    counts.set(service.name, { digest, instances: instances + (counts.get(service.name)?.instances ?? 0) })
  }
  for (const [name, { digest, instances }] of counts) {
    const detail = `${name} is offered as ${now.get(digest)} now; ${instances} in use`
    const problem: Problem = { code: 'catalog.renamed', detail }
    tell({ kind: 'renamed', name, problem })
  }
}
