/** Cuts a YAML text into tokens by the rules of YAML 1.1: indentation, simple keys, flow collections. */
import { blockScalar, plainScalar, quotedScalar } from './yaml-scalar-text.ts'
import { isBlank, isBlankOrEnd, isBreak, type Mark, sign, type Text } from './yaml-text.ts'

export type TokenKind =
  | 'stream-end'
  | 'directive'
  | 'document-start'
  | 'document-end'
  | 'block-sequence'
  | 'block-mapping'
  | 'block-end'
  | 'flow-sequence'
  | 'flow-sequence-end'
  | 'flow-mapping'
  | 'flow-mapping-end'
  | 'entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar'

export interface Token {
  readonly kind: TokenKind
  readonly mark: Mark
  /** The text of a scalar, the name of an anchor, alias or tag. */
  readonly text: string
  /** A scalar without quotes. */
  readonly plain: boolean
}

/** A token that turns out to be a key when a colon follows. */
interface SimpleKey {
  readonly token: number
  readonly mark: Mark
  readonly required: boolean
}

/** Keys are on one line and not longer than this. */
const keyMax = 1024

export class Scanner {
  private readonly text: Text
  private readonly queue: Token[] = []
  private taken = 0
  private head = 0
  private indent = -1
  private readonly indents: number[] = []
  private flow = 0
  private keyAllowed = true
  /** Per flow level, the key that may be. */
  private readonly keys: (SimpleKey | undefined)[] = [undefined]
  private done = false

  constructor(text: Text) {
    this.text = text
  }

  /** The next token, which stays. */
  peek(): Token {
    while (this.needsMore()) this.scanToken()
    return this.queue[this.head] as Token
  }

  /** The next token, which is taken away. */
  next(): Token {
    const token = this.peek()
    this.head++
    this.taken++
    if (this.head === this.queue.length) {
      this.queue.length = 0
      this.head = 0
    }
    return token
  }

  /** A token is certain only when no simple key can be put in front of it any more. */
  private needsMore(): boolean {
    if (this.done) return false
    if (this.head === this.queue.length) return true
    this.dropStaleKeys()
    return this.keys.some((key) => key?.token === this.taken)
  }

  private push(kind: TokenKind, mark: Mark, text = '', plain = false): void {
    this.queue.push({ kind, mark, text, plain })
  }

  private scanToken(): void {
    const { text } = this
    this.skipToToken()
    this.dropStaleKeys()
    this.unroll(text.column)
    const mark = text.mark()
    if (text.atEnd) {
      this.unroll(-1)
      this.dropKey()
      this.push('stream-end', mark)
      this.done = true
    } else if (text.column === 0 && text.peek() === 37) this.directive(mark)
    else if (text.atDocumentMark) {
      this.leaveBlocks()
      const kind = text.peek() === 45 ? 'document-start' : 'document-end'
      text.skip(3)
      this.push(kind, mark)
    } else this.indicator(mark, text.text[text.at] ?? '')
  }

  private leaveBlocks(): void {
    this.unroll(-1)
    this.dropKey()
    this.keyAllowed = false
  }

  private directive(mark: Mark): void {
    this.leaveBlocks()
    const start = this.text.at
    this.text.skipLine()
    const line = this.text.text.slice(start, this.text.at)
    if (!/^%(?:YAML[ \t]+[0-9]+\.[0-9]+|TAG[ \t]+![A-Za-z0-9_-]*!?[ \t]+[^ \t]+)[ \t]*(?:#.*)?$/.test(line))
      this.text.fail('found unknown directive', mark)
    this.push('directive', mark, line)
  }

  private indicator(mark: Mark, one: string): void {
    const { text } = this
    switch (one) {
      case '[':
      case '{':
        this.saveKey(mark)
        this.flow++
        this.keys.push(undefined)
        this.keyAllowed = true
        this.single(one === '[' ? 'flow-sequence' : 'flow-mapping', mark)
        break
      case ']':
      case '}':
        this.dropKey()
        if (this.flow > 0) {
          this.flow--
          this.keys.pop()
        }
        this.keyAllowed = false
        this.single(one === ']' ? 'flow-sequence-end' : 'flow-mapping-end', mark)
        break
      case ',':
        this.dropKey()
        this.keyAllowed = true
        this.single('flow-entry', mark)
        break
      case '*':
      case '&':
        this.beginValue(mark)
        this.named(one === '*' ? 'alias' : 'anchor', mark)
        break
      case '!':
        this.beginValue(mark)
        this.tag(mark)
        break
      case "'":
      case '"':
        this.beginValue(mark)
        this.push('scalar', mark, quotedScalar(text))
        break
      default:
        this.blockIndicator(mark, one)
    }
  }

  private beginValue(mark: Mark): void {
    this.saveKey(mark)
    this.keyAllowed = false
  }

  private blockIndicator(mark: Mark, one: string): void {
    const apart = isBlankOrEnd(this.text.peek(1))
    if (one === '-' && apart) this.entry(mark)
    else if (one === '?' && (this.flow > 0 || apart)) this.key(mark)
    else if (one === ':' && (this.flow > 0 || apart)) this.value(mark)
    else if ((one === '|' || one === '>') && this.flow === 0) {
      this.dropKey()
      this.keyAllowed = true
      this.push('scalar', mark, blockScalar(this.text, this.indent))
    } else this.plain(mark, one)
  }

  private plain(mark: Mark, one: string): void {
    const { text } = this
    if (/[,[\]{}#&*!|>'"%@`]/.test(one) || isBlank(text.peek()))
      text.fail('found character that cannot start any token')
    this.beginValue(mark)
    const scalar = plainScalar(text, this.indent + 1, this.flow > 0)
    if (scalar.broken) this.keyAllowed = true
    this.push('scalar', mark, scalar.text, true)
  }

  private single(kind: TokenKind, mark: Mark): void {
    this.text.skip()
    this.push(kind, mark)
  }

  private entry(mark: Mark): void {
    if (this.flow === 0) {
      if (!this.keyAllowed) this.text.fail('block sequence entries are not allowed in this context')
      this.roll(mark.column, 'block-sequence', mark)
    }
    this.dropKey()
    this.keyAllowed = true
    this.single('entry', mark)
  }

  private key(mark: Mark): void {
    if (this.flow === 0) {
      if (!this.keyAllowed) this.text.fail('mapping keys are not allowed in this context')
      this.roll(mark.column, 'block-mapping', mark)
    }
    this.dropKey()
    this.keyAllowed = this.flow === 0
    this.single('key', mark)
  }

  private value(mark: Mark): void {
    const key = this.keys[this.flow]
    if (key !== undefined) {
      const at = this.head + key.token - this.taken
      this.queue.splice(at, 0, { kind: 'key', mark: key.mark, text: '', plain: false })
      this.roll(key.mark.column, 'block-mapping', key.mark, at)
      this.keys[this.flow] = undefined
      this.keyAllowed = false
    } else {
      if (this.flow === 0) {
        if (!this.keyAllowed) this.text.fail('mapping values are not allowed in this context')
        this.roll(mark.column, 'block-mapping', mark)
      }
      this.keyAllowed = this.flow === 0
    }
    this.single('value', mark)
  }

  private named(kind: 'alias' | 'anchor', mark: Mark): void {
    const { text } = this
    const name = /[0-9A-Za-z_-]*/y
    name.lastIndex = text.at + 1
    const found = name.exec(text.text)?.[0] ?? ''
    text.skip(1 + found.length)
    const follows = text.peek()
    if (found === '' || !(isBlankOrEnd(follows) || '?:,]}%@`'.includes(String.fromCharCode(follows))))
      text.fail(`did not find expected alphabetic or numeric character of an ${kind}`, mark)
    this.push(kind, mark, found)
  }

  private tag(mark: Mark): void {
    const { text } = this
    const form = /!(?:<[^<>\s]*>|[^\s,[\]{}<>]*)/y
    form.lastIndex = text.at
    const found = form.exec(text.text)?.[0] ?? '!'
    text.skip(found.length)
    if (!isBlankOrEnd(text.peek()))
      text.fail('did not find expected whitespace or line break after a tag', mark)
    this.push('tag', mark, found)
  }

  private skipToToken(): void {
    const { text } = this
    for (;;) {
      for (let code = text.peek(); isBlank(code); code = text.peek()) {
        // In front of a possible key a tab would be indentation.
        if (code === sign.tab && this.flow === 0 && this.keyAllowed) break
        text.skip()
      }
      if (text.peek() === 35) text.skipLine()
      if (!isBreak(text.peek())) return
      text.skipBreak()
      if (this.flow === 0) this.keyAllowed = true
    }
  }

  private unroll(column: number): void {
    if (this.flow > 0) return
    while (this.indent > column) {
      this.push('block-end', this.text.mark())
      this.indent = this.indents.pop() ?? -1
    }
  }

  private roll(column: number, kind: TokenKind, mark: Mark, at = this.queue.length): void {
    if (this.flow > 0 || this.indent >= column) return
    this.indents.push(this.indent)
    this.indent = column
    this.queue.splice(at, 0, { kind, mark, text: '', plain: false })
  }

  private saveKey(mark: Mark): void {
    const required = this.flow === 0 && this.indent === mark.column
    if (!this.keyAllowed) return
    this.dropKey()
    this.keys[this.flow] = { token: this.taken + this.queue.length - this.head, mark, required }
  }

  private dropKey(): void {
    const key = this.keys[this.flow]
    if (key?.required) this.text.fail("could not find expected ':'", key.mark)
    this.keys[this.flow] = undefined
  }

  private dropStaleKeys(): void {
    const { line, at } = this.text
    for (let i = 0; i < this.keys.length; i++) {
      const key = this.keys[i]
      if (key === undefined || (key.mark.line === line && key.mark.at + keyMax >= at)) continue
      if (key.required) this.text.fail("could not find expected ':'", key.mark)
      this.keys[i] = undefined
    }
  }
}
