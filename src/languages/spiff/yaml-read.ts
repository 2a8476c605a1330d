/** Reads YAML as the original does: its scalars, string keys, merge keys as plain keys, shared aliases. */
import { fromBase64 } from '../../kit/bytes.ts'
import { floatText, textOf } from './go-text.ts'
import { type Cell, Dict, flag, List, type Value } from './value.ts'
import { isDate, resolveScalar } from './yaml-scalar.ts'
import { Scanner, type Token, type TokenKind } from './yaml-scan.ts'
import { DocumentFault, type Mark, Text } from './yaml-text.ts'

export { DocumentFault }

export interface ReadLimits {
  readonly documentMax: number
  readonly nestingMax: number
  readonly elementsMax: number
  /** How many all documents of a run have so far. */
  readonly tally?: { elements: number }
}

const start = { line: 1, column: 1 }

/** All documents of a text; throws DocumentFault. */
export function readDocuments(text: string, source: string, limits: ReadLimits): readonly Cell[] {
  if (text.length > limits.documentMax)
    throw new DocumentFault(`a document of more than ${limits.documentMax} characters`, source, start)
  const cells = new Reader(new Text(text, source), limits).stream()
  for (const { value } of cells)
    if ((value instanceof List || value instanceof Dict) && value.weight > limits.elementsMax)
      throw new DocumentFault(`more than ${limits.elementsMax} elements`, source, start)
  return cells.length === 0 ? [{ kind: 'cell', value: null, source, flags: 0 }] : cells
}

/** The only document of a text; throws DocumentFault. */
export function readDocument(text: string, source: string, limits: ReadLimits): Cell {
  const [only, second] = readDocuments(text, source, limits)
  if (second !== undefined) throw new DocumentFault('multi document not possible', source, start)
  return only ?? { kind: 'cell', value: null, source, flags: 0 }
}

/** An anchored node that is not read to its end. */
const open = Symbol('open')

/** What may stand in front of a node. */
interface Properties {
  readonly anchor: string | undefined
  readonly tag: string | undefined
  readonly mark: Mark
}

interface Context {
  readonly depth: number
  /** Block collections may begin here, and lists without indentation. */
  readonly block: boolean
  readonly indentless: boolean
}

const binaryTags = new Set(['!binary', '!!binary', '!<tag:yaml.org,2002:binary>'])
/** What is none stays the text that it is. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const contentEnds = new Set<TokenKind>(['directive', 'document-start', 'document-end', 'stream-end'])

class Reader {
  private readonly text: Text
  private readonly tokens: Scanner
  private readonly limits: ReadLimits
  private readonly tally: { elements: number }
  /** What anchored nodes became, the latest of a name: aliases share it. */
  private anchors = new Map<string, Cell | typeof open>()

  constructor(text: Text, limits: ReadLimits) {
    this.text = text
    this.tokens = new Scanner(text)
    this.limits = limits
    this.tally = limits.tally ?? { elements: 0 }
  }

  stream(): readonly Cell[] {
    const documents: Cell[] = []
    for (let first = true; ; first = false) {
      while (this.is('document-end')) this.tokens.next()
      if (this.is('stream-end')) return documents
      const bare = first && !this.is('directive') && !this.is('document-start')
      if (!bare) {
        while (this.is('directive')) this.tokens.next()
        this.expect('document-start', 'did not find expected <document start>')
      }
      this.anchors = new Map()
      documents.push(this.content({ depth: 0, block: true, indentless: false }, contentEnds))
    }
  }

  private is(kind: TokenKind): boolean {
    return this.tokens.peek().kind === kind
  }

  private expect(kind: TokenKind, message: string): void {
    if (!this.is(kind)) this.text.fail(message, this.tokens.peek().mark)
    this.tokens.next()
  }

  private cell(value: Value, mark: Mark, flags = 0): Cell {
    // A list or map costs more than what it holds.
    this.tally.elements += typeof value === 'object' && value !== null ? 2 : 1
    if (this.tally.elements > this.limits.elementsMax)
      this.text.fail(`more than ${this.limits.elementsMax} elements`, mark)
    return {
      kind: 'cell',
      value,
      source: this.text.source,
      flags,
      place: { line: mark.line + 1, column: mark.column + 1 },
    }
  }

  /** A node, or nothing where one of the ends follows. */
  private content(context: Context, ends: ReadonlySet<TokenKind>): Cell {
    const { kind, mark } = this.tokens.peek()
    return ends.has(kind) ? this.cell(null, mark) : this.node(context)
  }

  private node(context: Context): Cell {
    const first = this.tokens.peek()
    if (context.depth > this.limits.nestingMax) this.text.fail('nested too deeply', first.mark)
    if (first.kind === 'alias') return this.aliased(this.tokens.next())
    const properties = this.properties(first.mark)
    const { anchor } = properties
    if (anchor !== undefined) this.anchors.set(anchor, open)
    const cell = this.structure(context, properties)
    if (anchor !== undefined) this.anchors.set(anchor, cell)
    return cell
  }

  private properties(mark: Mark): Properties {
    let anchor: string | undefined
    let tag: string | undefined
    for (;;) {
      if (anchor === undefined && this.is('anchor')) anchor = this.tokens.next().text
      else if (tag === undefined && this.is('tag')) tag = this.tokens.next().text
      else return { anchor, tag, mark }
    }
  }

  private aliased({ text: name, mark }: Token): Cell {
    const cell = this.anchors.get(name)
    if (cell === undefined) return this.text.fail(`missing anchor: '${name}'`, mark)
    if (cell === open) return this.text.fail(`anchor '${name}' contains itself`, mark)
    return cell
  }

  private structure(context: Context, properties: Properties): Cell {
    const { kind, mark } = this.tokens.peek()
    const inside = { ...context, depth: context.depth + 1 }
    if (kind === 'entry' && context.indentless) return this.cell(this.indentless(inside), mark)
    if (kind === 'scalar') return this.scalar(this.tokens.next(), properties.tag)
    if (kind === 'flow-sequence') return this.cell(this.flowSequence(inside), mark)
    if (kind === 'flow-mapping') return this.cell(this.flowMapping(inside), mark)
    if (context.block && kind === 'block-sequence') return this.cell(this.blockSequence(inside), mark)
    if (context.block && kind === 'block-mapping') return this.cell(this.blockMapping(inside), mark)
    if (properties.anchor === undefined && properties.tag === undefined)
      this.text.fail('did not find expected node content', mark)
    return this.cell(null, properties.mark)
  }

  private scalar({ text, plain, mark }: Token, tag: string | undefined): Cell {
    if (tag !== undefined && binaryTags.has(tag) && base64.test(text.replaceAll('\n', '')))
      return this.cell(textOf(fromBase64(text)), mark, flag.binary)
    return this.cell(plain || tag !== undefined ? resolveScalar(text) : text, mark)
  }

  private blockSequence(context: Context): List {
    this.tokens.next()
    const cells: Cell[] = []
    while (this.is('entry')) {
      this.tokens.next()
      cells.push(this.content({ ...context, indentless: false }, blockEntryEnds))
    }
    this.expect('block-end', "did not find expected '-' indicator")
    return new List(cells)
  }

  private indentless(context: Context): List {
    const cells: Cell[] = []
    while (this.is('entry')) {
      this.tokens.next()
      cells.push(this.content({ ...context, indentless: false }, indentlessEnds))
    }
    return new List(cells)
  }

  private blockMapping(context: Context): Dict {
    this.tokens.next()
    const cells = new Map<string, Cell>()
    const inside = { ...context, indentless: true }
    while (this.is('key')) {
      this.tokens.next()
      const key = this.key(inside, blockKeyEnds)
      if (this.is('value')) this.tokens.next()
      else {
        cells.set(key, this.cell(null, this.tokens.peek().mark))
        continue
      }
      cells.set(key, this.content(inside, blockKeyEnds))
    }
    this.expect('block-end', 'did not find expected key')
    return new Dict(cells)
  }

  private flowSequence(context: Context): List {
    this.tokens.next()
    const cells: Cell[] = []
    const inside = { ...context, block: false, indentless: false }
    while (!this.is('flow-sequence-end')) {
      if (cells.length > 0) {
        this.expect('flow-entry', "did not find expected ',' or ']'")
        if (this.is('flow-sequence-end')) break
      }
      cells.push(this.is('key') ? this.pair(inside) : this.node(inside))
    }
    this.tokens.next()
    return new List(cells)
  }

  /** `[a: 1]` holds a map of one key. */
  private pair(context: Context): Cell {
    const { mark } = this.tokens.next()
    const key = this.key(context, flowPairEnds)
    const value = this.flowValue(context, flowPairEnds, mark)
    return this.cell(new Dict(new Map([[key, value]])), mark)
  }

  private flowMapping(context: Context): Dict {
    this.tokens.next()
    const cells = new Map<string, Cell>()
    const inside = { ...context, block: false, indentless: false }
    for (let first = true; !this.is('flow-mapping-end'); first = false) {
      if (!first) {
        this.expect('flow-entry', "did not find expected ',' or '}'")
        if (this.is('flow-mapping-end')) break
      }
      const { mark } = this.tokens.peek()
      if (this.is('key')) this.tokens.next()
      const key = this.key(inside, flowKeyEnds)
      cells.set(key, this.flowValue(inside, flowKeyEnds, mark))
    }
    this.tokens.next()
    return new Dict(cells)
  }

  private flowValue(context: Context, ends: ReadonlySet<TokenKind>, mark: Mark): Cell {
    if (!this.is('value')) return this.cell(null, mark)
    this.tokens.next()
    return this.content(context, ends)
  }

  /** Keys must be strings once they are resolved. */
  private key(context: Context, ends: ReadonlySet<TokenKind>): string {
    const token = this.tokens.peek()
    const { value } = this.content(context, ends)
    if (typeof value === 'string' && !(token.plain && isDate(value))) return value
    return this.text.fail(`map key must be a string: ${keyText(value)}`, token.mark)
  }
}

const blockEntryEnds = new Set<TokenKind>(['entry', 'block-end'])
const indentlessEnds = new Set<TokenKind>(['entry', 'key', 'value', 'block-end'])
const blockKeyEnds = new Set<TokenKind>(['key', 'value', 'block-end'])
const flowPairEnds = new Set<TokenKind>(['value', 'flow-entry', 'flow-sequence-end'])
const flowKeyEnds = new Set<TokenKind>(['value', 'flow-entry', 'flow-mapping-end'])

function keyText(value: Value): string {
  if (value === null) return '<nil>'
  if (typeof value === 'number') return floatText(value)
  return typeof value === 'object' ? 'a list or map' : String(value)
}
