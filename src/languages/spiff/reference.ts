/** Finds what a reference means: names from inner to outer scopes, then steps through maps and lists. */
import type { Env } from './env.ts'
import { failure, Waiting } from './issue.ts'
import type { Live } from './site.ts'
import { indexStep, nameStep, stepIntoCell } from './step.ts'
import {
  type Base,
  type Cell,
  cellOf,
  Dict,
  dictOf,
  hasCode,
  List,
  listOf,
  type Scope,
  type Seen,
  type Spot,
} from './value.ts'

/** The cell a reference leads to; fails where it leads nowhere, waits where it does not settle. */
export function resolveReference(steps: readonly string[], env: Env): Cell {
  const [first = '', ...rest] = steps
  if (first === '') return walk(env.base.root, rest, { shown: [''], env, root: env.scope })
  const found = findName(first, rest, env)
  if (found === undefined) return failure(`'${first}' not found`)
  return walk(found.seen, found.rest, {
    shown: steps.slice(0, steps.length - found.rest.length),
    env,
    root: undefined,
  })
}

/** The top of a dynamic index needs to be known only by its kind. */
export function resolveTop(steps: readonly string[], env: Env): Seen {
  const [first = '', ...rest] = steps
  if (first === '') return walkTo(env.base.root, rest, { shown: [''], env })
  const found = findName(first, rest, env)
  if (found === undefined) return failure(`'${first}' not found`)
  return walkTo(found.seen, found.rest, { shown: steps.slice(0, steps.length - found.rest.length), env })
}

interface Found {
  readonly seen: Seen
  readonly rest: readonly string[]
}

function findName(name: string, rest: readonly string[], env: Env): Found | undefined {
  if (name === '__ctx') return { seen: contextOf(env), rest }
  const seen = lookUp(env.scope, env.base, name)
  if (seen !== undefined) {
    const home = name === '_' && rest.length > 0 && seen.kind === 'cell' ? homeOf(seen) : undefined
    if (home === undefined) return { seen, rest }
    const [second = '', ...others] = rest
    const inside = lookUp(home, home.base, second)
    return inside && { seen: inside, rest: others }
  }
  if (name === '___') return { seen: cellOf(env.run.bindings, 'bindings'), rest }
  if (name !== '__') return undefined
  const node = nodeScope(env.scope)
  if (node === undefined) return undefined
  const [second, ...others] = rest
  if (second === undefined) return node.map && { seen: node.map, rest }
  const inside = inScopes(node, second, node.base)
  return inside && { seen: inside, rest: others }
}

function homeOf(cell: Cell): Scope | undefined {
  const value = cell.value
  if (value === null || typeof value !== 'object') return undefined
  return value.kind === 'lambda' || value.kind === 'template' ? value.home : undefined
}

/** The innermost scope that has the name wins, then the enclosing runs. */
function lookUp(scope: Scope | undefined, base: Base, name: string): Seen | undefined {
  return inScopes(scope ?? base.outer, name)
}

/** The innermost scope that has the name, in this run or also in those around it. */
function inScopes(scope: Scope | undefined, name: string, run?: Base): Seen | undefined {
  let seen: Seen | undefined
  // From a map whose names are known, over others, to what has the name or may have it later: a recursion comes by here again.
  let from: Scope | undefined
  let to: Scope | undefined
  let at = scope
  while (at !== undefined) {
    seen = at.names.get(name)
    if (seen !== undefined && !isGone(seen)) break
    seen = undefined
    if (at.names.mayGrow === true) to ??= from && at
    else if (at.map !== undefined) from ??= at
    at = at.skips?.has(name) ? at.skips.get(name) : (at.next ?? at.base.outer)
    if (run !== undefined && at?.base !== run) return undefined
  }
  to ??= at
  if (from !== undefined && (from.next ?? from.base.outer) !== to) {
    from.skips ??= new Map()
    from.skips.set(name, to)
  }
  return seen
}

function isGone(seen: Seen): boolean {
  return seen.kind === 'spot' && seen.shape().kind === 'gone'
}

/** The document map that hosts an expression; the original does not offer the root. */
function nodeScope(scope: Scope | undefined): Scope | undefined {
  let at = scope
  while (at !== undefined && !at.isInside) at = at.next
  return at
}

/** Where a path has come so far, for messages, and the reference that follows it. */
export interface Here {
  readonly shown: readonly string[]
  readonly env: Env
}

interface Walk extends Here {
  readonly root: Scope | undefined
}

function walk(start: Seen, steps: readonly string[], { shown, env, root }: Walk): Cell {
  // `.__map` is the outermost map around, for documents that are lists.
  const viaMap =
    shown.length === 1 && shown[0] === '' && steps[0] === '__map' ? outermostMap(root) : undefined
  const at = viaMap
    ? walkTo(viaMap, steps.slice(1), { shown: [...shown, '__map'], env })
    : walkTo(start, steps, { shown, env })
  return settled(at, { shown: [...shown, ...steps], env })
}

function outermostMap(scope: Scope | undefined): Seen | undefined {
  let map: Seen | undefined
  for (let at = scope; at !== undefined; at = at.next) map = at.map ?? map
  return map
}

/** Follows the steps; every prefix must exist and be known by its kind. */
export function walkTo(start: Seen, steps: readonly string[], { shown, env }: Here): Seen {
  let at = known(start, shown, env)
  for (let i = 0; i < steps.length; i++) {
    const next = stepInto(at, steps[i] ?? '')
    const here = [...shown, ...steps.slice(0, i + 1)]
    if (next === undefined || isGone(next)) return failure(`'${here.join('.')}' not found`)
    at = known(next, here, env)
  }
  return at
}

/** As references see it, known by its kind. */
function known(seen: Seen, shown: readonly string[], env: Env): Seen {
  if (seen.kind === 'cell') return seen
  const shape = seen.shape()
  const early = shape.kind === 'stuck' ? undefined : beforeStubs(seen, env)
  if (early !== undefined) return early
  if (shape.kind === 'stuck')
    throw new Waiting(`'${shown.join('.')}' ${shape.what}`, shape.failed, levelOf(seen))
  return seen
}

/** References see templates and maps of controls as they were before stubs changed them, unless that fails. */
function beforeStubs(seen: Spot, { info }: Env): Cell | undefined {
  if (seen.referred === undefined || info.final) return undefined
  info.early = true
  return seen.referred
}

function levelOf(seen: Spot): object | undefined {
  return 'site' in seen ? (seen as Live).site.level : undefined
}

/** One step down: a key, an index, or the name of a list element. */
export function stepInto(seen: Seen, step: string): Seen | undefined {
  if (seen.kind === 'cell') return stepIntoCell(seen, step)
  const shape = seen.shape()
  if (shape.kind === 'cell') return stepIntoCell(shape.cell, step)
  if (shape.kind === 'map') return shape.get(step)
  if (shape.kind !== 'list') return undefined
  const index = indexStep(step)
  if (index !== undefined) return shape.at(index)
  const { field, name } = nameStep(step)
  return shape.named(field, name)
}

/** Everything in it must be settled and free of expressions. */
export function settled(seen: Seen, { shown, env }: Here): Cell {
  const result = seen.kind === 'cell' ? seen : (beforeStubs(seen, env) ?? seen.settle())
  if (result.kind === 'gone') return failure(`'${shown.join('.')}' not found`)
  if (result.kind === 'stuck')
    throw new Waiting(
      `'${shown.join('.')}' unresolved`,
      result.failed,
      seen.kind === 'spot' ? levelOf(seen) : undefined,
    )
  if (hasCode(result.value)) throw new Waiting(`'${shown.join('.')}' unresolved`, false)
  return result
}

/** `__ctx`: where the expression stands. The outer documents may still be under way, so they are only looked at when asked for. */
function contextOf(env: Env): Seen {
  const { stand, run } = env
  const file = stand.document
  const resolved = run.ports.files?.resolve?.(file) ?? file
  const known = dictOf(
    [
      ['VERSION', '1.7.0'],
      ['FILE', file],
      ['DIR', folderOf(file)],
      ['RESOLVED_FILE', resolved],
      ['RESOLVED_DIR', folderOf(resolved)],
      ['PATHNAME', stand.path().join('.')],
      ['PATH', listOf(stand.path(), 'context')],
      ['STUBPATH', listOf(stand.stubPath(), 'context')],
      ['BINDINGS', run.bindings],
    ],
    'context',
  )
  const outer = outerDocuments(env)
  return {
    kind: 'spot',
    shape: () => ({ kind: 'map', get: (name) => (name === 'OUTER' ? outer : known.get(name)) }),
    settle: () => cellOf(new Dict(new Map([...known.cells, ['OUTER', outer.settle() as Cell]])), 'context'),
  }
}

function outerDocuments(env: Env): Spot {
  const roots: Seen[] = []
  for (let base = env.base; base.outer !== undefined; base = base.outer.base) roots.push(base.outer.base.root)
  return {
    kind: 'spot',
    shape: () => ({ kind: 'list', at: (index) => roots.at(index), named: () => undefined }),
    settle: () =>
      cellOf(
        new List(roots.map((root, i) => settled(root, { shown: ['__ctx', 'OUTER', `[${i}]`], env }))),
        'context',
      ),
  }
}

function folderOf(path: string): string {
  const cut = path.lastIndexOf('/')
  if (cut < 0) return '.'
  return cut === 0 ? '/' : path.slice(0, cut)
}
