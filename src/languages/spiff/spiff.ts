/** The library: reads documents, processes a template with stubs, and says what came out or what is wrong. */
import { systemClock } from '../../kit/clock.ts'
import { Budget, type Limits, strictLimits } from './budget.ts'
import {
  type Applied,
  applyTemplate,
  type CascadeOptions,
  nestedCascade,
  prepareStubs,
  toProcessAgain,
  Unsettled,
} from './cascade.ts'
import { stateOf } from './cleanup.ts'
import type { Run, SpiffFunction } from './env.ts'
import { evaluate } from './evaluate.ts'
import { builtins } from './functions/index.ts'
import { Exhausted } from './issue.ts'
import { type Plain, toPlain, writeJson } from './json-write.ts'
import { processFragment } from './level.ts'
import type { Ports } from './ports.ts'
import { type Unresolved, unresolvedMessage } from './report.ts'
import { TagTable } from './tags.ts'
import { type Cell, cellOf, Dict, flag, List, type Scope, type Value } from './value.ts'
import { DocumentFault, type ReadLimits, readDocument, readDocuments } from './yaml-read.ts'
import { writeYaml } from './yaml-write.ts'

/** A document as text, under the name that messages use. */
export interface SourceText {
  readonly name: string
  readonly text: string
}

/** A document that is read already. */
export interface ParsedSource {
  readonly kind: 'parsed'
  readonly name: string
  readonly documents: readonly Cell[]
}

export type SpiffSource = SourceText | ParsedSource

export interface SpiffOptions extends CascadeOptions {
  /** Strings with `((…))` parts are expressions, too. */
  readonly interpolation?: boolean
  /** `<<if`, `<<for` and their kin. */
  readonly control?: boolean
  /** Values around the outermost document; they are never evaluated, so what users say may come in here. */
  readonly bindings?: { readonly [name: string]: unknown } | Dict
  /** The state of the run before: the strongest stub. */
  readonly state?: SourceText
  /** The world; without it there are no files, programs, environment, network, clock or chance. */
  readonly ports?: Ports
  readonly limits?: Partial<Limits>
  /** Functions of the host, by name. */
  readonly functions?: ReadonlyMap<string, SpiffFunction>
  /** Values that every document knows by a tag. */
  readonly tags?: ReadonlyMap<string, Cell>
  /** Keeps where values came from. */
  readonly trace?: boolean
}

export interface SpiffDocument {
  readonly cell: Cell
  readonly value: Plain
  yaml(): string
  json(): string
}

export interface SpiffFault {
  readonly kind: 'yaml' | 'unresolved' | 'budget'
  /** In the words of the original. */
  readonly message: string
  readonly source?: string
  readonly line?: number
  readonly column?: number
  readonly unresolved: readonly Unresolved[]
}

export type SpiffResult =
  | {
      readonly kind: 'done'
      readonly documents: readonly (SpiffDocument | undefined)[]
      readonly state?: SpiffDocument
    }
  | { readonly kind: 'failed'; readonly fault: SpiffFault }

/** Processes every document of the template with the stubs; the first stub is the nearest. */
export function processSpiff(
  template: SpiffSource,
  stubs: readonly SpiffSource[] = [],
  options: SpiffOptions = {},
): SpiffResult {
  return inTime(options, () => {
    const run = newRun(options)
    const limits = run.budget.reading
    const cells = stubs.map((stub) => onlyDocument(stub, limits))
    const state = options.state && readDocument(options.state.text, options.state.name, limits)
    const documents = allDocuments(template, limits)
    const outer = bindingsScope(run)
    const prepared = prepareStubs(run, state ? [...cells, state] : cells, outer, options.partial)
    return processStream(run, documents, { stubs: prepared, outer, options })
  })
}

function allDocuments(source: SpiffSource, limits: ReadLimits): readonly Cell[] {
  return 'kind' in source ? source.documents : readDocuments(source.text, source.name, limits)
}

function onlyDocument(source: SpiffSource, limits: ReadLimits): Cell {
  if (!('kind' in source)) return readDocument(source.text, source.name, limits)
  const [only = cellOf(null, source.name), second] = source.documents
  if (second !== undefined)
    throw new DocumentFault('multi document not possible', source.name, { line: 1, column: 1 })
  return only
}

/** Reads a document or a stream once, to be processed often. */
export function parseSpiff(
  source: SourceText,
  limits: Partial<Limits> = {},
): ParsedSource | { readonly kind: 'failed'; readonly fault: SpiffFault } {
  try {
    const documents = readDocuments(source.text, source.name, { ...strictLimits, ...limits })
    return { kind: 'parsed', name: source.name, documents }
  } catch (error) {
    return { kind: 'failed', fault: faultOf(error) }
  }
}

/** A document as the value of a field. */
export function below(field: string, source: ParsedSource): ParsedSource {
  const documents = source.documents.map((cell) => ({
    ...cellOf(new Dict(new Map([[field, cell]])), source.name),
  }))
  return { ...source, documents }
}

/** One document with stubs that are taken as they are; escapes stay. */
export function flowSpiff(
  template: SourceText,
  stubs: readonly (SourceText | Cell)[],
  options: SpiffOptions = {},
): SpiffResult {
  return guarded(() => {
    const limits = { ...strictLimits, ...options.limits }
    const cells = stubs.map((stub) => ('kind' in stub ? stub : readDocument(stub.text, stub.name, limits)))
    const document = readDocument(template.text, template.name, limits)
    const run = newRun(options)
    const applied = applyTemplate(run, document, {
      stubs: cells,
      outer: bindingsScope(run),
      options: { ...options, preserveEscapes: true },
    })
    return { kind: 'done', documents: [documentOf(applied.cell)] }
  })
}

/** Reads and prints without processing. */
export function readSpiff(source: SourceText, limits: Partial<Limits> = {}): SpiffResult {
  return guarded(() => ({
    kind: 'done',
    documents: readDocuments(source.text, source.name, { ...strictLimits, ...limits }).map(documentOf),
  }))
}

function processStream(
  run: Run,
  documents: readonly Cell[],
  how: { stubs: readonly Cell[]; outer: Scope; options: SpiffOptions },
): SpiffResult {
  const results: (Applied | undefined)[] = []
  const several = documents.length > 1
  let state: SpiffDocument | undefined
  for (const document of documents) {
    if (several && document.value === null) {
      results.push(undefined)
      continue
    }
    const applied = applyTemplate(run, document, how)
    const { raw, kept } = applied
    run.tags.endDocument(raw)
    if (!(several && (raw.flags & (flag.temporary | flag.local)) !== 0)) results.push(applied)
    state ??= documentOf(stateOf(kept))
  }
  // A stream is processed again as a whole, so what is escaped in one document stays so while another is open.
  const isOpen = results.some((one) => one?.isOpen)
  const printed = results.map((one) => one && documentOf(isOpen ? toProcessAgain(one.kept) : one.cell))
  return { kind: 'done', documents: printed, ...(state ? { state } : {}) }
}

/** A settled cell as a document of the result. */
export function documentOf(cell: Cell): SpiffDocument {
  return new PrintableDocument(cell)
}

/** A class, because every literal with a getter leaves the engine a shape of its own, which keeps the whole document. */
class PrintableDocument implements SpiffDocument {
  readonly cell: Cell

  constructor(cell: Cell) {
    this.cell = cell
  }
  get value(): Plain {
    return toPlain(this.cell.value)
  }
  yaml(): string {
    return writeYaml(this.cell.value)
  }
  json(): string {
    return writeJson(this.cell.value)
  }
}

function newRun(options: SpiffOptions): Run {
  const limits = { ...strictLimits, ...options.limits }
  const bindings = options.bindings instanceof Dict ? options.bindings : toValue(options.bindings ?? {})
  const ports = options.ports ?? {}
  return {
    budget: new Budget(limits, ports.elapsed ?? systemClock.monotonic),
    interpolation: options.interpolation ?? false,
    control: options.control ?? false,
    ports,
    functions: options.functions ? new Map([...builtins, ...options.functions]) : builtins,
    tags: new TagTable(options.tags),
    bindings: bindings instanceof Dict ? bindings : new Dict(new Map()),
    trace: options.trace ?? false,
    parsed: new Map(),
    depth: 0,
    evaluate,
    cascade: nestedCascade,
    fragment: processFragment,
  }
}

/** The outermost scope: what is bound from outside. */
function bindingsScope(run: Run): Scope {
  const root = cellOf(run.bindings, 'bindings')
  return {
    names: run.bindings.cells,
    next: undefined,
    isInside: false,
    locals: new Map(),
    base: { root, outer: undefined },
    map: undefined,
  }
}

/** Plain JavaScript data as a value: whole numbers are integers. */
export function toValue(data: unknown): Value {
  if (data === null || data === undefined) return null
  if (typeof data === 'number') return Number.isSafeInteger(data) ? BigInt(data) : data
  if (typeof data === 'string' || typeof data === 'boolean' || typeof data === 'bigint') return data
  if (Array.isArray(data)) return new List(data.map((item) => cellOf(toValue(item), 'bindings')))
  if (typeof data !== 'object') return null
  const entries = data instanceof Map ? [...data] : Object.entries(data)
  return new Dict(new Map(entries.map(([key, value]) => [String(key), cellOf(toValue(value), 'bindings')])))
}

/** Runs within the limit of time, even where nothing looks at a clock. */
function inTime({ ports, limits }: SpiffOptions, run: () => SpiffResult): SpiffResult {
  const milliseconds = limits?.millisecondsMax ?? strictLimits.millisecondsMax
  const result = ports?.within ? ports.within(milliseconds, () => guarded(run)) : guarded(run)
  return result ?? { kind: 'failed', fault: faultOf(new Exhausted(`more than ${milliseconds} milliseconds`)) }
}

/** Runs, and turns everything that may be thrown on the way into a fault. */
function guarded(run: () => SpiffResult): SpiffResult {
  try {
    return run()
  } catch (error) {
    return { kind: 'failed', fault: faultOf(error) }
  }
}

function faultOf(error: unknown): SpiffFault {
  if (error instanceof DocumentFault) {
    const { source, line, column } = error
    return { kind: 'yaml', message: `yaml ${source}: ${error.message}`, source, line, column, unresolved: [] }
  }
  if (error instanceof Unsettled) {
    const { entries } = error
    const [first] = entries
    const where = first?.place === undefined ? {} : { source: first.source, ...first.place }
    return { kind: 'unresolved', message: unresolvedMessage(entries), ...where, unresolved: entries }
  }
  if (error instanceof Exhausted)
    return { kind: 'budget', message: `limit reached: ${error.text}`, unresolved: [] }
  // Nesting that the budget does not see ends at the stack of the platform.
  if (error instanceof RangeError)
    return { kind: 'budget', message: 'limit reached: nested too deeply', unresolved: [] }
  throw error
}
