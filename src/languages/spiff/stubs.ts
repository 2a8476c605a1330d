/** The stubs as seen from a place: for every stub the cell at the same path, if it has one. */
import { stepIntoCell } from './step.ts'
import { type Cell, isImplied } from './value.ts'

export interface StubView {
  readonly stubs: readonly Cell[]
  /** The cells at this path, one per stub that has it, strongest first. */
  readonly cells: readonly Cell[]
  /** `merge none` above: nothing overrides from here on. */
  readonly noMerge: boolean
  readonly path: StubPath
}

/** A path as a chain, so that going down costs nothing. */
export interface StubPath {
  readonly above: StubPath | undefined
  readonly step: string
}

const rootPath: StubPath = { above: undefined, step: '' }

/** The view from the root of a document. */
export function stubRoot(stubs: readonly Cell[]): StubView {
  return { stubs, cells: stubs, noMerge: false, path: rootPath }
}

/** The view one step down. */
export function stubChild(view: StubView, step: string): StubView {
  const path = { above: view.path, step }
  if (view.cells.length === 0) return { ...view, path }
  const cells: Cell[] = []
  for (const cell of view.cells) {
    const next = stepIntoCell(cell, step)
    if (next !== undefined) cells.push(next)
  }
  return { ...view, cells, path }
}

/** The view along another path, or one that sees nothing any more. */
export function stubRedirect(view: StubView, path: readonly string[]): StubView {
  if (path.length === 0) return { ...view, noMerge: true }
  let at = stubRoot(view.stubs)
  for (const step of path) at = stubChild(at, step)
  return at
}

/** The view of what stubs have no more to say about. */
export function stubsGone(view: StubView): StubView {
  return { ...view, cells: [], noMerge: true }
}

/** The stub cell that counts here. */
export function stubHere(view: StubView): Cell | undefined {
  return view.cells.find((cell) => !isImplied(cell.flags))
}

/** The stub cell that counts at any path. */
export function findStub(stubs: readonly Cell[], path: readonly string[]): Cell | undefined {
  for (const stub of stubs) {
    let at: Cell | undefined = stub
    for (const step of path) at = at && stepIntoCell(at, step)
    if (at !== undefined && !isImplied(at.flags)) return at
  }
  return undefined
}

/** The steps of a stub path. */
export function stubSteps(path: StubPath): readonly string[] {
  const steps: string[] = []
  for (let at: StubPath | undefined = path; at?.above !== undefined; at = at.above) steps.push(at.step)
  return steps.reverse()
}
