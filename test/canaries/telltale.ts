/** A program that tells everything it knows: what it was given and what it makes, in every way that programs write. */
import type { TreeItem } from '../support/image.ts'
import { formsOf } from './forms.ts'
import type { Canary } from './values.ts'

/** In the package its words stand with other letters, or the package itself would hold what is looked for. */
const veil = `tr 'A-Za-z0-9' 'N-ZA-Mn-za-m5-90-4'`

/** The same for texts of this side. */
export function veiled(text: string): string {
  return text.replace(/[A-Za-z]/g, turnLetter).replace(/[0-9]/g, (digit) => String((Number(digit) + 5) % 10))
}

function turnLetter(letter: string): string {
  const base = letter <= 'Z' ? 65 : 97
  return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
}

export interface Words {
  /** What it was given, which it prints whatever it does. */
  readonly told: readonly Canary[]
  /** What its bindings are given, which it prints when it binds. */
  readonly bound?: readonly Canary[]
  /** What it makes, which it prints when it hands it back. */
  readonly made: readonly Canary[]
  /** What it says about its failure, or how far it is. */
  readonly reason: string
  /** What it hands back, as documents of the contract, by the name of their file. */
  readonly documents: Readonly<Record<string, string>>
}

/** How the log begins to tell about a value. */
export const marker = 'telling'

/** Files for `/telltale` of an image. */
export function telltaleTree({
  told,
  bound = [],
  made,
  reason,
  documents,
}: Words): Readonly<Record<string, TreeItem>> {
  const lines = { lines: linesOf(told), bound: linesOf(bound), made: linesOf(made) }
  const files = { ...lines, halves: halvesOf(told), reason, ...documents }
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`telltale/${name}`, veiled(text)]))
}

/** Shell functions: `tell` prints what it was given, `hand NAME` one of the other files. */
export const tellInShell = `
hand() { ${veil} < "\${TELLTALE:-/telltale}/$1"; }
tell() {
  hand lines
  hand lines >&2
  hand halves | while IFS= read -r first && IFS= read -r second; do printf '%s' "$first"; sleep 0.02; printf '%s\\n' "$second"; done
}
`

/** Everything, each behind its name, so that it can be seen that it was printed. */
function linesOf(told: readonly Canary[]): string {
  const lines = told.flatMap(({ name, value }) =>
    formsOf(value).map(([form, text]) => `${marker} ${name} ${form}: ${text} .\n`),
  )
  return `${lines.join('')}end of ${marker}\n`
}

/** Words whose halves are written apart. */
function halvesOf(told: readonly Canary[]): string {
  const words = told.flatMap(({ value }) =>
    typeof value === 'string' && /^\w{20,40}$/.test(value) ? [value] : [],
  )
  return words.map((word) => `${word.slice(0, 11)}\n${word.slice(11)}\n`).join('')
}
