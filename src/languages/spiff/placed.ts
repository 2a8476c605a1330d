/** Where a node stands: its paths in the document and in the stubs, and the names of its sources. */
import { embedded } from './detect.ts'
import type { Stand } from './env.ts'
import type { Level, Site } from './site.ts'
import { findStub, type StubView, stubSteps } from './stubs.ts'
import type { Cell } from './value.ts'

/** Whether a place is a step of the path. */
function isStep({ nameless, insert }: Site): boolean {
  return nameless !== true && insert !== true
}

export class Placed {
  readonly raw: Cell
  readonly site: Site

  constructor(raw: Cell, site: Site) {
    site.level.run.budget.node()
    this.raw = raw
    this.site = site
  }

  get level(): Level {
    return this.site.level
  }
  get source(): string {
    return this.raw.source
  }
  get made(): string {
    return `dynaml@${this.raw.source}`
  }
  get document(): string {
    return this.level.document
  }
  get view(): StubView {
    return this.site.view
  }
  get noMerge(): boolean {
    return this.site.view.noMerge
  }

  path(): readonly string[] {
    const steps: string[] = []
    // Fragments stand inside of each other as deep as a recursion goes.
    for (let at = this.climb(steps); at !== undefined; ) at = at.climb(steps)
    return steps.reverse()
  }
  climb(steps: string[]): Stand | undefined {
    let { site } = this
    for (; site.parent !== undefined; site = site.parent.site) if (isStep(site)) steps.push(site.step)
    return site.start
  }
  get isRoot(): boolean {
    let { site } = this
    for (; site.parent !== undefined; site = site.parent.site) if (isStep(site)) return false
    return site.start === undefined || site.start.isRoot
  }
  shownPath(): readonly string[] {
    const { parent, shownStep, start } = this.site
    return parent === undefined ? (start?.path() ?? []) : [...parent.shownPath(), shownStep]
  }
  stubPath(): readonly string[] {
    return stubSteps(this.site.view.path)
  }
  findStub(path: readonly string[]): Cell | undefined {
    return findStub(this.site.view.stubs, path)
  }

  /** The text between the parentheses, or what an interpolated text was turned into. */
  protected codeOf(text: string): string {
    return embedded(text, this.level.run.interpolation) ?? text
  }
}
