/** Where a node stands: its paths in the document and in the stubs, and the names of its sources. */
import { embedded } from './detect.ts'
import type { Level, Site } from './site.ts'
import { findStub, type StubView, stubSteps } from './stubs.ts'
import type { Cell } from './value.ts'

export class Placed {
  readonly raw: Cell
  readonly site: Site

  constructor(raw: Cell, site: Site) {
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
    const { parent, step, start } = this.site
    if (parent === undefined) return start ?? []
    return this.site.nameless || this.site.insert ? parent.path() : [...parent.path(), step]
  }
  shownPath(): readonly string[] {
    const { parent, shownStep, start } = this.site
    return parent === undefined ? (start ?? []) : [...parent.shownPath(), shownStep]
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
