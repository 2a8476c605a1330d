/** Whether a template parses as HCL 1, which V1 demands; modern Terraform is not HCL 1. */

interface Reader {
  readonly text: string
  at: number
}

const blanks = /(?:[ \t\r\n,]|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const word = /[\p{L}_][\p{L}\p{N}_.-]*/uy
const number = /-?(?:0x[0-9a-f]+|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)/iy
const heredoc = /<<-?([\p{L}\p{N}_]+)\n/uy
const depthMax = 200

class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** The parser's message, or undefined where the text is HCL 1. */
export function hclOneFault(text: string): string | undefined {
  const reader: Reader = { text, at: 0 }
  try {
    readItems(reader, undefined, 0)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

function readItems(reader: Reader, end: '}' | undefined, depth: number): void {
  if (depth > depthMax) throw refusal(reader, 'nested too deep')
  for (;;) {
    take(reader, blanks)
    const sign = reader.text[reader.at]
    if (sign === undefined) {
      if (end === undefined) return
      // Its scanner has read past the last sign by then.
      reader.at++
      throw refusal(reader, 'object expected closing RBRACE got: EOF')
    }
    if (sign === end) {
      reader.at++
      return
    }
    readItem(reader, depth)
  }
}

function readItem(reader: Reader, depth: number): void {
  for (let keys = 0; ; keys++) {
    take(reader, blanks)
    const sign = reader.text[reader.at]
    if (sign === '{' && keys > 0) {
      reader.at++
      readItems(reader, '}', depth + 1)
      return
    }
    if (sign === '=' && keys > 0) {
      reader.at++
      readValue(reader, depth)
      return
    }
    if (sign === '"') skipText(reader)
    else if (!take(reader, word) && !take(reader, number)) {
      throw refusal(reader, `illegal character`)
    }
  }
}

function readValue(reader: Reader, depth: number): void {
  if (depth > depthMax) throw refusal(reader, 'nested too deep')
  take(reader, blanks)
  const sign = reader.text[reader.at]
  if (sign === '"') skipText(reader)
  else if (sign === '{') {
    reader.at++
    readItems(reader, '}', depth + 1)
  } else if (sign === '[') readList(reader, depth)
  else if (sign === '<') skipHeredoc(reader)
  else if (!take(reader, number)) readWord(reader)
}

function readWord(reader: Reader): void {
  const at = reader.at
  const found = take(reader, word)
  if (found === 'true' || found === 'false') return
  const place = placeOf(reader.text, at)
  throw new Refusal(`At ${place}: Unknown token: ${place} IDENT ${found || (reader.text[at] ?? 'EOF')}`)
}

function readList(reader: Reader, depth: number): void {
  reader.at++
  for (;;) {
    take(reader, blanks)
    const sign = reader.text[reader.at]
    if (sign === undefined) throw refusal(reader, 'error parsing list, expected comma or list end, got: EOF')
    if (sign === ']') {
      reader.at++
      return
    }
    readValue(reader, depth + 1)
  }
}

function skipText(reader: Reader): void {
  reader.at++
  for (let open = 0; ; reader.at++) {
    const sign = reader.text[reader.at]
    if (sign === undefined || (sign === '\n' && open === 0)) throw refusal(reader, 'literal not terminated')
    if (sign === '\\') reader.at++
    else if (sign === '$' && reader.text[reader.at + 1] === '{') open++
    else if (sign === '}' && open > 0) open--
    else if (sign === '"' && open === 0) break
  }
  reader.at++
}

function skipHeredoc(reader: Reader): void {
  heredoc.lastIndex = reader.at
  const [head, mark] = heredoc.exec(reader.text) ?? []
  if (head === undefined) throw refusal(reader, 'heredoc not terminated')
  reader.at += head.length
  for (;;) {
    const end = reader.text.indexOf('\n', reader.at)
    if (reader.text.slice(reader.at, end < 0 ? undefined : end).trim() === mark) {
      reader.at = end < 0 ? reader.text.length : end
      return
    }
    if (end < 0) throw refusal(reader, 'heredoc not terminated')
    reader.at = end + 1
  }
}

function take(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)?.[0] ?? ''
  reader.at += found.length
  return found
}

function refusal(reader: Reader, message: string): Refusal {
  return new Refusal(`At ${placeOf(reader.text, reader.at)}: ${message}`)
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at) + ' '.repeat(Math.max(0, at - text.length))
  return `${before.split('\n').length}:${[...before.slice(before.lastIndexOf('\n') + 1)].length + 1}`
}
