/** What doctor says of tenants whose packages would run nowhere, because their engine is not open here. */
import type { Problem } from '../model/problem.ts'
import type { Seen } from './seen.ts'

/** One entry; none where no tenant names an engine. */
export function examineTenants(
  rules: readonly { readonly name: string; readonly engine?: string | undefined }[],
  engines: readonly { readonly name: string }[],
  /** Why engines could not be opened, where that was just tried. */
  reasons: ReadonlyMap<string, string> = new Map(),
): readonly Seen[] {
  const naming = rules.filter(({ engine }) => engine !== undefined)
  if (naming.length === 0) return []
  const problems = naming
    .filter(({ engine }) => engines.every(({ name }) => name !== engine))
    .map(({ name, engine = '' }): Problem => {
      const reason = reasons.get(engine)
      const why = reason === undefined ? '' : ` (${reason})`
      return {
        code: 'engine.unconfigured',
        detail: `tenant ${name} runs on ${engine} only, which is not open here${why}: its orders are refused`,
        hint: `Set up ${engine} and start the broker again, or give the tenant another engine (chandler tenant set ${name} --engine NAME, or tenants in the configuration).`,
      }
    })
  return [{ id: 'tenants', what: 'each engine that a tenant names is open', problems }]
}
