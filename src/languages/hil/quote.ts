/** Texts inside messages, written as the original writes them. */

const named: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
}
const shown = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** A text in double quotes with Go's escapes. */
export function quote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`
  return `"${[...text].map(escaped).join('')}"`
}

function escaped(sign: string): string {
  const known = named[sign]
  if (known !== undefined) return known
  if (shown.test(sign)) return sign
  const code = sign.codePointAt(0) ?? 0
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`
  if (code > 0xffff) return `\\U${hex(code, 8)}`
  return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : `\\u${hex(code, 4)}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
