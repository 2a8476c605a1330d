/** How languages and programs write a text inside another one: what each of them does to the signs that it cannot leave as they are. */

export interface Writing {
  /** Texts without any of these signs are written as they are; `wide` stands for all that are not ASCII. */
  readonly changes: { readonly signs: string; readonly wide: boolean }
  /** Writes a piece of a text; pieces joined are the whole. */
  readonly write: (text: string) => string
}

const control = String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code))
const quoted = `${control}"\\`
const odd = `${control} !"#$%&'()*+,/:;<=>?@[\\]^\`{|}~`

const json = (text: string): string => JSON.stringify(text).slice(1, -1)
const unit = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
const percent = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
const asciiJson = (text: string): string => json(text).replace(/[^\0-\x7f]/g, unit)
const address = (text: string): string => encodeURIComponent(text.toWellFormed())
const strict = (text: string): string => address(text).replace(/[!'()*]/g, percent)
const form = (text: string): string => strict(text).replaceAll('%20', '+')
const inSmall =
  (write: (text: string) => string) =>
  (text: string): string =>
    write(text).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())

/** Markup: every language has its own names for quotes. */
const markup =
  (double: string, simple: string) =>
  (text: string): string =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', double)
      .replaceAll("'", simple)

const slashed = (text: string): string =>
  text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')

function row(signs: string, write: Writing['write'], wide = false): Writing {
  return { changes: { signs, wide }, write }
}

/** How documents hold a text that are encoded as a whole then: clusters keep theirs so. */
export const inDocuments: readonly Writing[] = [
  row(quoted, json),
  row(`${quoted}<>&`, (text) => json(text).replace(/[<>&\u2028\u2029]/g, unit), true),
  row(quoted, asciiJson, true),
]

/** All ways that are known here. */
export const writings: readonly Writing[] = [
  row(quoted, json),
  row(`${quoted}<>&`, (text) => json(text).replace(/[<>&\u2028\u2029]/g, unit), true),
  row(quoted, asciiJson, true),
  // As it is handed to programs on a command line, without what a shell would read.
  row(`${quoted} *?[<>&`, (text) => json(text).replace(/[*?[ <>&\u2028\u2029]/g, unit), true),
  row(`${quoted} *?[<>&`, (text) => json(json(text).replace(/[*?[ <>&\u2028\u2029]/g, unit)), true),
  row(`${quoted}/`, (text) => json(text).replaceAll('/', '\\/')),
  row(quoted, (text) => json(json(text))),
  row(quoted, (text) => json(asciiJson(text)), true),
  row(`${quoted}$%`, (text) => json(text).replaceAll('${', '$${').replaceAll('%{', '%%{')),
  row('$%', (text) => text.replaceAll('${', '$${').replaceAll('%{', '%%{')),
  row("'", (text) => text.replaceAll("'", "'\\''")),
  row("'", (text) => text.replaceAll("'", `'"'"'`)),
  row("'", (text) => text.replaceAll("'", "''")),
  row('\\$`"', (text) => text.replace(/[\\$`"]/g, '\\$&')),
  row(odd, (text) => text.replace(/[^\w@%+=:,./\n-]/gu, '\\$&'), true),
  row("\\'\n\t\r", slashed),
  row(odd, address, true),
  row(odd, inSmall(address), true),
  row(odd, strict, true),
  row(odd, inSmall(strict), true),
  row(odd, form, true),
  row(odd, inSmall(form), true),
  row(`&<>"'`, markup('&quot;', '&apos;')),
  row(`&<>"'`, markup('&quot;', '&#x27;')),
  row(`&<>"'`, markup('&quot;', '&#39;')),
  row(`&<>"'`, markup('&quot;', '&#039;')),
  row(`&<>"'`, markup('&#34;', '&#39;')),
  row('&<>"', markup('&quot;', "'")),
  row('&<>', markup('"', "'")),
  row('\n', (text) => text.replaceAll('\n', '\r\n').replaceAll('\r\r\n', '\r\n')),
  row('\r', (text) => text.replaceAll('\r\n', '\n')),
]

/** Where a text may be parted so that its pieces are written as the whole is: not within what is written as one. */
export function pieceEnd(text: string, from: number, length: number): number {
  let end = Math.min(text.length, from + length)
  while (end < text.length && /[$%\r\ud800-\udbff]/.test(text[end - 1] ?? '')) end++
  return end
}
