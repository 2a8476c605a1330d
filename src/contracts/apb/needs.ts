/** What a bundle needs of a cluster, as far as its operator has said so, and what of that is not there. */
import type { Problem } from '../../model/problem.ts'
import type { Options } from './options.ts'

/** Users are told at the order instead of by a run that fails. */
export function faultsOfNeeds({ needs, targetCluster }: Options): readonly Problem[] {
  const allowed = new Set(targetCluster?.allow)
  const missing = needs.filter((kind) => !allowed.has(kind) && !allowed.has(starOf(kind)))
  if (missing.length === 0) return []
  const detail = `it needs ${missing.join(', ')}, ${targetCluster === undefined ? 'and there is no target cluster' : 'which its target cluster does not allow'}`
  return [{ code: 'apb.run.needs-cluster', detail }]
}

/** All resources of its group and version; what lies below a resource must be named. */
function starOf(kind: string): string {
  const [, version = '', , below] =
    /^((?:[a-z0-9.-]+[/])?v[0-9][a-z0-9]*)[/]([a-z]+)([/][a-z]+)?$/.exec(kind) ?? []
  return below === undefined ? `${version}/*` : kind
}
