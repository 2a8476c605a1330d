/** How programs write a secret into what others read: each way of it as the bytes that would be printed. */
import type { Json } from '../../src/kit/json.ts'

/** Larger values are not written in every way, only in those that programs use for files. */
const largeFrom = 32 * 1024

/** All ways to write the texts of a value, by their names. */
export function formsOf(value: Json): readonly (readonly [string, string])[] {
  if (typeof value === 'boolean' || value === null) return []
  if (typeof value === 'number') return textForms(String(value))
  if (typeof value === 'string') return textForms(value)
  const inner = Object.values(value as Readonly<Record<string, Json>>).flatMap(formsOf)
  return [
    ['document', JSON.stringify(value)],
    ['indented document', JSON.stringify(value, null, 2)],
    ...inner,
  ]
}

function textForms(text: string): readonly (readonly [string, string])[] {
  const forms = Object.entries(text.length >= largeFrom ? large : { ...large, ...small })
  return forms.map(([name, write]) => [name, write(text)] as const)
}

const bytes = (text: string) => Buffer.from(text)
const base64 = (text: string) => bytes(text).toString('base64')
const hex = (text: string) => bytes(text).toString('hex')
const wrap = (text: string, width: number, between = '\n') =>
  (text.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? []).join(between)
const json = (text: string) => JSON.stringify(text)
const unit = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
const code = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
const strict = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, code)

/** What reads the text line by line, or copies it. */
const large: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'line by line behind a prefix': (text) =>
    text
      .split('\n')
      .map((line) => `2026-01-01T00:00:00Z app | ${line}`)
      .join('\n'),
  'with line ends of Windows': (text) => text.replaceAll(/\r?\n/g, '\r\n'),
  'in JSON': json,
  'in Base64': base64,
  'in Base64 behind a sign': (text) => base64(`x${text}`),
  'in Base64 behind two signs': (text) => base64(`:.${text}yz`),
  'in Base64, lines of 64': (text) => wrap(base64(text), 64),
  'in Base64, lines of 76': (text) => wrap(base64(text), 76),
  'in Base64, lines behind a prefix': (text) => wrap(base64(text), 76).replace(/^/gm, 'app | '),
  'in hexadecimal': hex,
  'in hexadecimal, lines of 60': (text) => wrap(hex(text), 60),
}

const small: Readonly<Record<string, (text: string) => string>> = {
  'in JSON of letters': (text) => json(text).replace(/[^\0-\x7f]/g, unit),
  'in JSON for pages': (text) => json(text).replace(/[<>&\u2028\u2029]/g, unit),
  'in JSON with slashes': (text) => json(text).replaceAll('/', '\\/'),
  'in JSON in JSON': (text) => json(json(text)),
  'in JSON of letters in JSON': (text) => json(json(text).replace(/[^\0-\x7f]/g, unit)),
  'in JSON for a command line': (text) => json(text).replace(/[*?[ <>&\u2028\u2029]/g, unit),
  'in HCL': (text) => json(text).replaceAll('${', '$${').replaceAll('%{', '%%{'),
  'in a word of the shell': (text) => `'${text.replaceAll("'", "'\\''")}'`,
  'in a word of the shell, quoted otherwise': (text) => `'${text.replaceAll("'", `'"'"'`)}'`,
  'in double quotes of the shell': (text) => `"${text.replace(/[\\$`"]/g, '\\$&')}"`,
  'in an escaped word of the shell': (text) => text.replace(/[^\w@%+=:,./\n-]/gu, '\\$&'),
  'in quotes of C': (text) =>
    `$'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')}'`,
  'in an address': (text) => encodeURIComponent(text),
  'in an address in small letters': (text) =>
    encodeURIComponent(text).replace(/%../g, (one) => one.toLowerCase()),
  'in a strict address': strict,
  'in a form': (text) => strict(text).replaceAll('%20', '+'),
  'in XML': (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&apos;'),
  'in HTML': (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#x27;'),
  'in HTML of Go': (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll("'", '&#39;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&#34;'),
  'in text of XML': (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'in Base64 for addresses': (text) => bytes(text).toString('base64url'),
  'in Base64 without padding': (text) => base64(text).replace(/=+$/, ''),
  'in large hexadecimal': (text) => hex(text).toUpperCase(),
  'in hexadecimal with colons': (text) => wrap(hex(text), 2, ':'),
  'in hexadecimal with blanks': (text) => wrap(hex(text), 2, ' '),
  'broken in the midst': (text) => wrap(text, Math.max(9, Math.ceil(text.length / 2))),
}
