/** Expressions that look into the stubs or by convention: `merge`, `stub()`, `auto`. */
import type { Call, Env, Info } from './env.ts'
import { failure } from './issue.ts'
import { resolveReference } from './reference.ts'
import type { Site } from './site.ts'
import { stepIntoCell } from './step.ts'
import type { Expr, Merge } from './tree.ts'
import { flag, List, type Value } from './value.ts'

/** What a merged value stays in this document: a default that a stub merges is still only a default for the next one. */
const inherited = flag.temporary | flag.state | flag.inject | flag.default | flag.dynamic

/** The stub value at the own or the given path; it is final. */
export function evaluateMerge(merge: Merge, env: Env): Value {
  const { info, stand } = env
  if (merge.none) {
    info.redirect = []
    info.merged = true
    return null
  }
  const own = env.mergePath ?? stand.stubPath()
  const path = merge.path ?? own
  if (merge.path !== undefined) info.redirect = path
  if (merge.on !== '') info.key = merge.on
  const found = stand.findStub(path)
  if (found === undefined) return failure(`'${path.join('.')}' not found in any stub`)
  info.merged = true
  info.replace = merge.replace
  info.source = found.source
  info.flags |= found.flags & inherited
  if (found.key) info.key = found.key
  return found.value
}

/** `stub([path])`: the stub value, without making the place final. */
export function stubFunction(call: Call): Value {
  const { env, exprs } = call
  if (exprs.length > 1) return failure("a maximum of one argument expected for 'stub'")
  const path = stubPath(call)
  const found = env.stand.findStub(path)
  return found === undefined ? failure(`'${path.join('.')}' not found in any stub`) : found.value
}

function stubPath({ env, exprs }: Call): readonly string[] {
  const [arg] = exprs
  if (arg === undefined) return env.stand.stubPath()
  if (arg.kind === 'ref') return arg.steps[0] === '' ? arg.steps.slice(1) : arg.steps
  const before = env.info.undefined
  env.info.undefined = false
  const value = env.run.evaluate(arg, env)
  const own = env.info.undefined
  env.info.undefined = before
  if (own) return env.stand.stubPath()
  if (typeof value === 'string') return value === '' ? [] : value.split('.')
  if (value instanceof List && value.cells.every((cell) => typeof cell.value === 'string'))
    return value.cells.map((cell) => cell.value as string)
  return failure('stub() requires a string or reference argument')
}

/** `auto`: the size of a resource pool is the sum of the instances that use it. */
export function evaluateAuto(env: Env): Value {
  const path = env.stand.path()
  const [pools, pool = '', size] = path
  if (path.length !== 3 || pools !== 'resource_pools' || size !== 'size')
    return failure('auto only allowed for size entry in resource pools')
  const name = pool.slice(pool.indexOf(':') + 1)
  const jobs = resolveReference(['', 'jobs'], env)
  if (!(jobs.value instanceof List)) return failure('jobs must be a list')
  let sum = 0n
  for (const job of jobs.value.cells) {
    if (stepIntoCell(job, 'resource_pool')?.value !== name) continue
    const instances = stepIntoCell(job, 'instances')?.value
    if (typeof instances !== 'bigint') return failure('instances must be an integer')
    sum += instances
  }
  return sum
}

/** `merge replace` counts only where the merge is the whole expression. */
export function isDirectMerge(expr: Expr): boolean {
  switch (expr.kind) {
    case 'merge':
      return true
    case 'group':
    case 'prefer':
      return isDirectMerge(expr.a)
    case 'marker':
      return expr.a !== undefined && isDirectMerge(expr.a)
    case 'binary':
      return (expr.op === '||' || expr.op === '//') && (isDirectMerge(expr.a) || isDirectMerge(expr.b))
    case 'cond':
      return isDirectMerge(expr.yes) || isDirectMerge(expr.no)
    default:
      return false
  }
}

/** Whether a stub may replace the result of an expression. */
export function mayOverride({ override, view }: Site, info: Info, structured: boolean): boolean {
  // A preferred map or list is merged field by field instead.
  const kept = info.merged || info.replace || (info.preferred && structured)
  const redirected = info.redirect !== undefined && info.redirect.length > 0
  return override && !view.noMerge && !kept && !redirected
}
