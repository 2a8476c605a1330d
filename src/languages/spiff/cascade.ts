/** The levels of a run: stubs from right to left, then the template; and the same nested, for `merge(…)`. */
import { dropFlagged, temporaryOrLocal, unescaped } from './cleanup.ts'
import type { Env, Run } from './env.ts'
import { framed } from './frame.ts'
import { Failure, issueOf, Waiting } from './issue.ts'
import { circles, type Document, type Processed, processDocument } from './level.ts'
import { partialCell, readable } from './partial.ts'
import { type Unresolved, unresolvedMessage } from './report.ts'
import { type Cell, cellOf, flag, type Scope } from './value.ts'

export interface CascadeOptions {
  readonly partial?: boolean
  readonly preserveEscapes?: boolean
  readonly preserveTemporary?: boolean
}

/** A document did not settle. */
export class Unsettled {
  readonly entries: readonly Unresolved[]
  /** Whether all that is open waits for itself. */
  readonly circles: boolean
  constructor({ unresolved, root }: Processed) {
    this.entries = unresolved
    this.circles = circles(root)
  }
}

/** Every stub processed with those to its right; the strongest is the last. */
export function prepareStubs(
  run: Run,
  stubs: readonly Cell[],
  outer: Scope | undefined,
  partial = false,
): readonly Cell[] {
  let prepared: readonly Cell[] = []
  for (const cell of stubs.toReversed()) {
    const processed = processDocument(run, { cell, stubs: prepared, name: cell.source, outer })
    prepared = [dropFlagged(result(processed, partial), flag.local), ...prepared]
    run.tags.endLevel()
  }
  return prepared
}

function result(processed: Processed, partial: boolean): Cell {
  if (partial && processed.unresolved.length > 0)
    return partialCell(processed.root) ?? cellOf(null, processed.root.raw.source)
  if (processed.cell === undefined || processed.unresolved.length > 0) throw new Unsettled(processed)
  return processed.cell
}

export interface Applied {
  /** With temporary parts and escapes still in. */
  readonly raw: Cell
  /** Without temporary parts. */
  readonly kept: Cell
  readonly cell: Cell
  /** Something in it is unresolved. */
  readonly isOpen: boolean
}

/** The template processed with prepared stubs. */
export function applyTemplate(
  run: Run,
  template: Cell,
  { options, ...how }: Pick<Document, 'stubs' | 'outer' | 'inside'> & { readonly options: CascadeOptions },
): Applied {
  const processed = processDocument(run, { cell: template, name: template.source, ...how })
  const raw = result(processed, options.partial ?? false)
  // What is left of an unfinished document is processed again, so it stays as it is.
  if (processed.unresolved.length > 0) {
    run.budget.print(raw.value)
    return { raw, kept: raw, cell: toProcessAgain(raw), isOpen: true }
  }
  const kept = options.preserveTemporary ? raw : dropFlagged(raw, temporaryOrLocal)
  run.budget.bounded(kept.value)
  const cell = options.preserveEscapes ? kept : { ...kept, value: unescaped(kept.value, run.interpolation) }
  run.budget.print(cell.value)
  return { raw, kept, cell, isOpen: false }
}

/** What is left of a partial run: lambdas are written as they are read, and escapes stay. */
export function toProcessAgain(cell: Cell): Cell {
  return { ...cell, value: readable(cell.value) }
}

/** `merge(template, stubs…)`: a run inside of an expression. */
export function nestedCascade(template: Cell, stubs: readonly Cell[], env: Env): Cell {
  const { run, scope, base } = env
  const outer = scope ?? emptyScope(base)
  try {
    let prepared: readonly Cell[] = []
    for (const cell of stubs.toReversed()) {
      const known = prepared
      const processed = framed(env, ({ frame, stand: { level } }) =>
        processDocument(run, { cell, stubs: known, name: cell.source, outer, inside: { level, frame } }),
      )
      prepared = [dropFlagged(result(processed, false), flag.local), ...prepared]
    }
    return framed(env, ({ frame, stand: { level } }) =>
      applyTemplate(run, template, { stubs: prepared, outer, options: {}, inside: { level, frame } }),
    ).cell
  } catch (error) {
    if (!(error instanceof Unsettled)) throw error
    const { entries } = error
    if (!error.circles && !entries.some(({ sign }) => sign === '*'))
      throw new Waiting(
        entries[0]?.issue.text ?? '',
        entries.some(({ sign }) => sign === '-'),
      )
    throw new Failure(issueOf(`merging failed: ${unresolvedMessage(entries)}`))
  }
}

function emptyScope(base: Scope['base']): Scope {
  return { names: new Map(), next: undefined, isInside: false, locals: new Map(), base, map: undefined }
}
