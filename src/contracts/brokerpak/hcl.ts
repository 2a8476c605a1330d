/** Reads the shape of Terraform's configuration language: blocks and arguments with their places, not their values. */
import { Fault, skipExpression, skipQuoted } from './hcl-skip.ts'

interface Body {
  readonly arguments: readonly Argument[]
  readonly blocks: readonly Block[]
}

export interface Argument {
  readonly name: string
  /** Offsets of the name, of the equals sign and of the expression. */
  readonly at: number
  readonly equals: number
  readonly start: number
  readonly end: number
}

export interface Block {
  readonly type: string
  readonly labels: readonly string[]
  readonly body: Body
  readonly at: number
  readonly open: number
  readonly close: number
}

export type HclReading =
  | { readonly kind: 'body'; readonly body: Body }
  /** As the original prints it: `:LINE,FROM-TO: SUMMARY; DETAIL`. */
  | { readonly kind: 'fault'; readonly message: string }

interface Cursor {
  readonly text: string
  at: number
  depth: number
}

const depthMax = 200
const name = /[\p{L}_][\p{L}\p{N}\p{M}_-]*/uy
const gap = /(?:[ \t]|\/\*[\s\S]*?\*\/)*/uy
const gapOverLines = /(?:[ \t\r\n]|\/\*[\s\S]*?\*\/|(?:#|\/\/)[^\n]*)*/uy

const definitionRequired =
  'Argument or block definition required; An argument or block definition is required here.'

/** The body of a file, or its first fault. */
export function readHcl(text: string): HclReading {
  const cursor: Cursor = { text, at: 0, depth: 0 }
  try {
    return { kind: 'body', body: readBody(cursor, undefined) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { kind: 'fault', message: `${place(text, error.start, error.end)}: ${error.message}` }
  }
}

/** The names a template declares, sorted: its variables and outputs. */
export interface Names {
  readonly variables: readonly string[]
  readonly outputs: readonly string[]
}

/** Variables and outputs of a template, or its first fault. */
export function namesOf(text: string): Names | { readonly fault: string } {
  const reading = readHcl(text)
  if (reading.kind === 'fault') return { fault: reading.message }
  const of = (type: string) => reading.body.blocks.filter((block) => block.type === type)
  for (const block of [...of('variable'), ...of('output')]) {
    if (block.labels.length !== 1) return { fault: labelFault(text, block) }
  }
  const names = (type: string) => of(type).map(({ labels: [label = ''] }) => label)
  return { variables: names('variable').sort(), outputs: names('output').sort() }
}

/** Whether a template takes modules from elsewhere than its own folder. */
export function fetchesModules(text: string): boolean {
  const reading = readHcl(text)
  if (reading.kind === 'fault') return true
  return reading.body.blocks
    .filter(({ type }) => type === 'module')
    .flatMap(({ body }) => body.arguments.filter(({ name: argument }) => argument === 'source'))
    .some(({ start, end }) => !/^"\.\.?\//.test(text.slice(start, end)))
}

function labelFault(text: string, block: Block): string {
  if (block.labels.length === 0) {
    const detail = `All ${block.type} blocks must have 1 labels (type).`
    return `${place(text, block.open, block.open + 1)}: Missing type for ${block.type}; ${detail}`
  }
  const head = text.slice(block.at, block.open)
  const second = secondLabel(head)
  const detail = `Only 1 labels (type) are expected for ${block.type} blocks.`
  const range = place(text, block.at + second.start, block.at + second.end)
  return `${range}: Extraneous label for ${block.type}; ${detail}`
}

function secondLabel(head: string): { readonly start: number; readonly end: number } {
  const words = [...head.matchAll(/"(?:\\.|[^"\\])*"|[\p{L}_][\p{L}\p{N}_-]*/gu)]
  const found = words[2]
  return { start: found?.index ?? 0, end: (found?.index ?? 0) + (found?.[0].length ?? 0) }
}

function readBody(cursor: Cursor, open: number | undefined): Body {
  const args: Argument[] = []
  const blocks: Block[] = []
  for (;;) {
    take(cursor, gapOverLines)
    const sign = cursor.text[cursor.at]
    if (sign === undefined) {
      if (open !== undefined) throw unclosed(open)
      return { arguments: args, blocks }
    }
    if (sign === '}' && open !== undefined) return { arguments: args, blocks }
    const item = readItem(cursor, sign)
    if ('labels' in item) blocks.push(item)
    else args.push(item)
    endItem(cursor, 'labels' in item, open)
  }
}

function readItem(cursor: Cursor, sign: string): Argument | Block {
  const at = cursor.at
  const word = take(cursor, name)
  if (word === '') {
    if (sign === '"') throw quotedName(cursor)
    throw new Fault(definitionRequired, at, at + 1)
  }
  take(cursor, gap)
  if (cursor.text[cursor.at] === '=' && cursor.text[cursor.at + 1] !== '=')
    return readArgument(cursor, word, at)
  return readBlock(cursor, word, at)
}

/** A quoted name in front of an equals sign has a message of its own. */
function quotedName(cursor: Cursor): Fault {
  const at = cursor.at
  skipQuoted(cursor)
  take(cursor, gap)
  return cursor.text[cursor.at] === '='
    ? new Fault('Invalid argument name; Argument names must not be quoted.', at, at + 1)
    : new Fault(definitionRequired, at, at + 1)
}

function readArgument(cursor: Cursor, word: string, at: number): Argument {
  const equals = cursor.at
  cursor.at++
  take(cursor, gap)
  const start = cursor.at
  skipExpression(cursor)
  if (cursor.at === start) {
    throw new Fault(
      'Invalid expression; Expected the start of an expression, but found an invalid expression token.',
      start,
      start + 1,
    )
  }
  const end = start + cursor.text.slice(start, cursor.at).trimEnd().length
  return { name: word, at, equals, start, end }
}

function readBlock(cursor: Cursor, type: string, at: number): Block {
  const labels: string[] = []
  for (;;) {
    take(cursor, gap)
    const start = cursor.at
    const sign = cursor.text[start]
    if (sign === '{') break
    if (sign === '"') {
      skipQuoted(cursor)
      labels.push(cursor.text.slice(start + 1, cursor.at - 1))
      continue
    }
    const label = take(cursor, name)
    if (label !== '') labels.push(label)
    else throw badHead(cursor, labels, at, type)
  }
  const open = cursor.at
  if (++cursor.depth > depthMax)
    throw new Fault(`Too deep; Blocks are nested deeper than ${depthMax}.`, open, open + 1)
  cursor.at++
  const body = readBody(cursor, open)
  cursor.depth--
  const close = cursor.at
  cursor.at++
  return { type, labels, body, at, open, close }
}

function badHead(cursor: Cursor, labels: readonly string[], at: number, type: string): Fault {
  if (labels.length === 0) {
    const hint = 'To set an argument, use the equals sign "=" to introduce the argument value.'
    return new Fault(`${definitionRequired} ${hint}`, at, at + type.length)
  }
  const detail = 'Either a quoted string block label or an opening brace ("{") is expected here.'
  return new Fault(`Invalid block definition; ${detail}`, cursor.at, cursor.at + 1)
}

/** An item ends with its line; in a block of one line also with the block. */
function endItem(cursor: Cursor, isBlock: boolean, open: number | undefined): void {
  take(cursor, gap)
  const rest = cursor.text.slice(cursor.at, cursor.at + 2)
  if (rest === '' || /^[\r\n#]/.test(rest) || rest === '//') return
  const oneLine = open !== undefined && !cursor.text.slice(open, cursor.at).includes('\n')
  if (rest.startsWith('}') && open !== undefined && (oneLine || isBlock)) return
  if (rest.startsWith('}') && open !== undefined) return
  const start = cursor.at
  const end = start + (take(cursor, name).length || 1)
  throw isBlock
    ? new Fault(
        'Missing newline after block definition; A block definition must end with a newline.',
        start,
        end,
      )
    : new Fault('Missing newline after argument; An argument definition must end with a newline.', start, end)
}

function unclosed(open: number): Fault {
  const detail =
    'There is no closing brace for this block before the end of the file. This may be caused by incorrect brace nesting elsewhere in this file.'
  return new Fault(`Unclosed configuration block; ${detail}`, open, open + 1)
}

function take(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.at
  const found = pattern.exec(cursor.text)?.[0] ?? ''
  cursor.at += found.length
  return found
}

function place(text: string, start: number, end: number): string {
  const before = text.slice(0, start)
  const line = before.split('\n').length
  const column = [...before.slice(before.lastIndexOf('\n') + 1)].length + 1
  return `:${line},${column}-${column + [...text.slice(start, end)].length}`
}
