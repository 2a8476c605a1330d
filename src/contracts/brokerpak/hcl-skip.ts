/** Steps over expressions, texts, heredocs and comments of Terraform's language, without understanding them. */

export interface Walk {
  readonly text: string
  at: number
}

export class Fault extends Error {
  override readonly name = 'Fault'
  readonly start: number
  readonly end: number
  constructor(message: string, start: number, end: number) {
    super(message)
    this.start = start
    this.end = end
  }
}

const nestingMax = 200
const plain = /[^"'`()[\]{}<#/\r\n]+/y
const comment = /(?:#|\/\/)[^\n]*|\/\*[\s\S]*?\*\//y
const heredoc = /<<-?([\p{L}_][\p{L}\p{N}_-]*)\r?\n/uy
const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** Up to the end of the line outside of brackets, or the brace that ends the surrounding block. */
export function skipExpression(walk: Walk): void {
  const open: string[] = []
  for (let sign = walk.text[walk.at]; sign !== undefined; sign = walk.text[walk.at]) {
    if (open.length === 0 && endsExpression(walk, sign)) return
    if (sign === '"') skipQuoted(walk)
    else if ('([{'.includes(sign)) {
      open.push(closing[sign] ?? '')
      if (open.length > nestingMax) {
        throw new Fault(`Too deep; Brackets are nested deeper than ${nestingMax}.`, walk.at, walk.at + 1)
      }
      walk.at++
    } else if (')]}'.includes(sign)) {
      if (open.pop() !== sign) {
        throw new Fault('Unbalanced brackets; A bracket closes what it did not open.', walk.at, walk.at + 1)
      }
      walk.at++
    } else skipPlain(walk, sign)
  }
  if (open.length === 0) return
  const detail = 'The expression ends before its brackets are closed.'
  throw new Fault(`Unbalanced brackets; ${detail}`, walk.at - 1, walk.at)
}

/** A comment to the end of the line ends it, one between words does not. */
function endsExpression({ text, at }: Walk, sign: string): boolean {
  return sign === '\n' || sign === '\r' || sign === '}' || sign === '#' || text.startsWith('//', at)
}

function skipPlain(walk: Walk, sign: string): void {
  heredoc.lastIndex = walk.at
  const found = sign === '<' ? heredoc.exec(walk.text) : null
  if (found) skipHeredoc(walk, found)
  else if (!step(walk, comment) && !step(walk, plain)) walk.at++
}

/** To the line that holds nothing but the mark; what stands before may hold templates with brackets. */
function skipHeredoc(walk: Walk, [head, mark = '']: RegExpExecArray): void {
  const start = walk.at
  walk.at += head.length
  for (;;) {
    const end = walk.text.indexOf('\n', walk.at)
    const line = walk.text.slice(walk.at, end < 0 ? undefined : end)
    if (line.trim() === mark) {
      walk.at += line.length
      return
    }
    if (end < 0)
      throw new Fault(
        'Unterminated template string; No closing marker was found for the string.',
        start,
        start + head.length,
      )
    walk.at = end + 1
  }
}

/** Over a quoted text, with the templates in it, to any depth. */
export function skipQuoted(walk: Walk, depth = 0): void {
  const start = walk.at
  if (depth > nestingMax)
    throw new Fault(`Too deep; Texts are nested deeper than ${nestingMax}.`, start, start + 1)
  walk.at++
  for (;;) {
    const sign = walk.text[walk.at]
    if (sign === undefined || sign === '\n') {
      const detail =
        'Quoted strings may not be split over multiple lines. To produce a multi-line string, either use the \\n escape to represent a newline character or use the "heredoc" multi-line template syntax.'
      throw new Fault(`Invalid multi-line string; ${detail}`, start, start + 1)
    }
    if (sign === '\\') walk.at += 2
    else if (sign === '"') {
      walk.at++
      return
    } else if ((sign === '$' || sign === '%') && walk.text[walk.at + 1] === sign) walk.at += 2
    else if ((sign === '$' || sign === '%') && walk.text[walk.at + 1] === '{') skipTemplate(walk, depth)
    else walk.at++
  }
}

function skipTemplate(walk: Walk, depth: number): void {
  const start = walk.at
  walk.at += 2
  for (let open = 1; open > 0; ) {
    const sign = walk.text[walk.at]
    if (sign === undefined)
      throw new Fault(
        'Unclosed template interpolation sequence; There is no closing brace for this interpolation sequence before the end of the file.',
        start,
        start + 2,
      )
    if (sign === '"') skipQuoted(walk, depth + 1)
    else {
      if (sign === '{') open++
      if (sign === '}') open--
      walk.at++
    }
  }
}

function step(walk: Walk, pattern: RegExp): boolean {
  pattern.lastIndex = walk.at
  const found = pattern.exec(walk.text)
  if (found === null) return false
  walk.at += found[0].length
  return true
}
