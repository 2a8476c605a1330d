/** Processes one document or fragment: makes its root node, settles it, and lists what does not settle. */
import { drive } from './drive.ts'
import type { DocumentDepth, Env, FragmentOptions, FragmentResult, Frame, Run } from './env.ts'
import { withLocals } from './env.ts'
import { framed } from './frame.ts'
import { Failure, issueOf, Waiting } from './issue.ts'
import { makeLive } from './live.ts'
import { type Unresolved, unresolvedIssues, unresolvedOf } from './report.ts'
import type { Level, Live } from './site.ts'
import { stubRoot } from './stubs.ts'
import { type Base, type Cell, cellOf, type Scope, type Seen } from './value.ts'

export interface Document {
  readonly cell: Cell
  readonly stubs: readonly Cell[]
  readonly name: string
  /** Where the enclosing run stands, or the bindings. */
  readonly outer: Scope | undefined
  /** What it is processed inside of. */
  readonly inside?: Inside | undefined
}

/** The expression that a document is processed inside of, and what is known of it from an earlier start. */
export interface Inside {
  readonly level: DocumentDepth
  readonly frame: Frame
}

export interface Processed {
  readonly root: Live
  /** The settled document; undefined when something in it is unresolved. */
  readonly cell: Cell | undefined
  readonly unresolved: readonly Unresolved[]
}

/** Settles a whole document. */
export function processDocument(run: Run, { cell, stubs, name, outer, inside }: Document): Processed {
  const base: { root: Seen; readonly outer: Scope | undefined } = { root: cell, outer }
  const level = newLevel(run, base, { document: name, stubs, inside })
  const root = makeLive(cell, {
    level,
    parent: undefined,
    step: '',
    shownStep: '',
    scope: undefined,
    view: stubRoot(stubs),
    override: true,
    frame: inside?.frame,
  })
  base.root = root
  const settled = drive(root)
  const unresolved = level.troubled || settled.kind === 'stuck' ? unresolvedOf(root) : []
  if (settled.kind === 'gone') return { root, cell: cellOf(null, name), unresolved }
  return { root, cell: settled.kind === 'cell' ? settled : undefined, unresolved }
}

function newLevel(
  run: Run,
  base: Base,
  {
    inside,
    ...names
  }: { readonly document: string; readonly stubs: readonly Cell[]; readonly inside: Inside | undefined },
): Level {
  const outermost = inside && (inside.level.outermost ?? inside.level)
  return { run, base, ...names, make: makeLive, startDepth: run.depth, troubled: false, outermost }
}

/** Processes a tree in the place of an expression, in its scopes. */
export function processFragment(tree: Cell, env: Env, options: FragmentOptions): FragmentResult {
  return framed(env, (own) => fragmentIn(tree, own, options))
}

function fragmentIn(tree: Cell, env: Env, options: FragmentOptions): FragmentResult {
  const { run, stand } = env
  const inside = options.self ? withLocals(env, new Map([['_', cellOf(options.self, stand.source)]])) : env
  const own: { root: Seen; readonly outer: Scope | undefined } = { root: tree, outer: env.scope }
  const base = options.ownRoot ? own : env.base
  const { level: outer } = stand
  const level = newLevel(run, base, {
    document: stand.document,
    stubs: stand.view.stubs,
    inside: { level: outer, frame: env.frame },
  })
  const root = makeLive(tree, {
    level,
    parent: undefined,
    step: '',
    shownStep: '',
    scope: options.ownRoot ? undefined : inside.scope,
    view: stand.view,
    override: false,
    start: stand,
    frame: env.frame,
  })
  own.root = root
  const settled = drive(root)
  if (settled.kind === 'cell') return { cell: settled, undefined: false }
  if (settled.kind === 'gone') return { cell: cellOf(null, tree.source), undefined: true }
  return unsettled(root, options.message())
}

/** A fragment with faults or circles of its own fails; one that waits for what is outside waits. */
function unsettled(root: Live, message: string): never {
  const entries = unresolvedOf(root)
  if (entries.some(({ sign }) => sign === '*') || circles(root))
    throw new Failure(issueOf(message, unresolvedIssues(entries)))
  const [first] = entries
  throw new Waiting(
    first?.issue.text ?? '',
    entries.some(({ sign }) => sign === '-'),
  )
}

/** Whether all that is open in a document or fragment waits for itself. */
export function circles(root: Live): boolean {
  const open: (object | undefined)[] = []
  const collect = (node: Live): void => {
    for (const { node: child } of node.below()) collect(child)
    if (node.trouble !== undefined) open.push(node.trouble.waitsIn)
  }
  collect(root)
  return open.length > 0 && open.every((level) => level === root.site.level)
}
