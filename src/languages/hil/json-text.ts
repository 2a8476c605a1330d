/** JSON from texts of definitions: read with the faults of Go's reader, which users of the originals know. */
import { parseJson } from '../../kit/exact.ts'
import type { Json } from '../../kit/json.ts'
import { Fault } from '../place.ts'
import { quote } from './quote.ts'

const depthMax = 500

interface Reader {
  readonly text: string
  at: number
  depth: number
}

/** The value of a JSON text, or a Fault in Go's words. */
export function readJson(text: string): Json {
  const reader: Reader = { text, at: 0, depth: 0 }
  skipValue(reader)
  skipBlanks(reader)
  if (reader.at < text.length) throw wrong(reader, 'after top-level value')
  return parseJson(text) as Json
}

function skipValue(reader: Reader): void {
  skipBlanks(reader)
  const sign = reader.text[reader.at]
  if (sign === undefined) throw ended()
  const word = ['true', 'false', 'null'].find((one) => one.startsWith(sign))
  if (sign === '{') skipMembers(reader)
  else if (sign === '[') skipItems(reader)
  else if (sign === '"') skipText(reader)
  else if (sign === '-' || isDigit(sign)) skipNumber(reader)
  else if (word !== undefined) skipWord(reader, word)
  else throw wrong(reader, 'looking for beginning of value')
}

function skipMembers(reader: Reader): void {
  enter(reader)
  if (nextSign(reader) !== '}') {
    for (;;) {
      if (nextSign(reader) !== '"') throw wrong(reader, 'looking for beginning of object key string')
      skipText(reader)
      if (nextSign(reader) !== ':') throw wrong(reader, 'after object key')
      reader.at++
      skipValue(reader)
      const sign = nextSign(reader)
      if (sign === '}') break
      if (sign !== ',') throw wrong(reader, 'after object key:value pair')
      reader.at++
    }
  }
  leave(reader)
}

function skipItems(reader: Reader): void {
  enter(reader)
  if (nextSign(reader) !== ']') {
    for (;;) {
      skipValue(reader)
      const sign = nextSign(reader)
      if (sign === ']') break
      if (sign !== ',') throw wrong(reader, 'after array element')
      reader.at++
    }
  }
  leave(reader)
}

function skipText(reader: Reader): void {
  reader.at++
  for (;;) {
    const sign = reader.text[reader.at]
    if (sign === undefined) throw ended()
    if (sign === '"') break
    if (sign < ' ') throw wrong(reader, 'in string literal')
    if (sign === '\\') skipEscape(reader)
    reader.at++
  }
  reader.at++
}

function skipEscape(reader: Reader): void {
  reader.at++
  const sign = reader.text[reader.at]
  if (sign === undefined || !'bfnrt\\/"u'.includes(sign)) throw wrong(reader, 'in string escape code')
  for (let i = 0; sign === 'u' && i < 4; i++) {
    reader.at++
    if (!/^[0-9a-fA-F]$/.test(reader.text[reader.at] ?? '')) {
      throw wrong(reader, 'in \\u hexadecimal character escape')
    }
  }
}

function skipNumber(reader: Reader): void {
  if (reader.text[reader.at] === '-') reader.at++
  if (reader.text[reader.at] === '0') reader.at++
  else skipDigits(reader, 'in numeric literal')
  if (reader.text[reader.at] === '.') {
    reader.at++
    skipDigits(reader, 'after decimal point in numeric literal')
  }
  if (/^[eE]$/.test(reader.text[reader.at] ?? '')) {
    reader.at++
    if (/^[+-]$/.test(reader.text[reader.at] ?? '')) reader.at++
    skipDigits(reader, 'in exponent of numeric literal')
  }
}

function skipDigits(reader: Reader, where: string): void {
  if (!isDigit(reader.text[reader.at])) throw wrong(reader, where)
  while (isDigit(reader.text[reader.at])) reader.at++
}

function skipWord(reader: Reader, word: string): void {
  for (const wanted of word) {
    if (reader.text[reader.at] !== wanted) throw wrong(reader, `in literal ${word} (expecting '${wanted}')`)
    reader.at++
  }
}

function enter(reader: Reader): void {
  if (++reader.depth > depthMax) throw new Fault('exceeded max depth')
  reader.at++
}

function leave(reader: Reader): void {
  reader.depth--
  reader.at++
}

function nextSign(reader: Reader): string {
  skipBlanks(reader)
  const sign = reader.text[reader.at]
  if (sign === undefined) throw ended()
  return sign
}

function skipBlanks(reader: Reader): void {
  while (/^[ \t\r\n]$/.test(reader.text[reader.at] ?? '')) reader.at++
}

function isDigit(sign: string | undefined): boolean {
  return sign !== undefined && sign >= '0' && sign <= '9'
}

function ended(): Fault {
  return new Fault('unexpected end of JSON input')
}

/** Go reads bytes, and at the end of the text one more blank. */
function wrong(reader: Reader, where: string): Fault {
  const sign = reader.text[reader.at]
  // Where a blank could go on, as in a number that may end here, the end is the fault.
  const byte = sign === undefined ? ' ' : String.fromCharCode(new TextEncoder().encode(sign)[0] ?? 0x20)
  const shown = { "'": "\\'", '"': '"' }[byte] ?? quote(byte).slice(1, -1)
  return new Fault(`invalid character '${shown}' ${where}`)
}
