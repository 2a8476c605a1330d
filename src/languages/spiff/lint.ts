/** Looks at a template without running it: broken expressions, unknown names, misspelt markers, unused temporaries. */
import { nearest } from '../../kit/text.ts'
import { findControl } from './control.ts'
import { embedded } from './detect.ts'
import { builtins } from './functions/index.ts'
import { intrinsics } from './intrinsics.ts'
import { lintExpression, type Names } from './lint-expression.ts'
import { locate } from './locate.ts'
import { parseExpression } from './parser.ts'
import type { Expr } from './tree.ts'
import { type Cell, Dict, List } from './value.ts'

export interface LintFinding {
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly source: string
  /** Dotted path in the document. */
  readonly path: string
  readonly steps: readonly string[]
  readonly line: number
  readonly column: number
}

export interface LintOptions {
  readonly interpolation?: boolean
  readonly control?: boolean
  /** Names bound from outside, and functions of the host. */
  readonly bindings?: readonly string[]
  readonly functions?: readonly string[]
  /** What the host has to say against a call; undefined: nothing. */
  judge?(name: string, args: readonly Expr[]): string | undefined
}

interface Linter {
  readonly options: LintOptions
  readonly found: LintFinding[]
  readonly source: string
  readonly root: Cell
  /** All names that any expression mentions. */
  readonly mentioned: Set<string>
  readonly temporaries: { readonly name: string; readonly steps: readonly string[] }[]
  readonly tags: Set<string>
  readonly usedTags: { readonly tag: string; readonly steps: readonly string[] }[]
}

/** What is doubtful in a document. */
export function lint(document: Cell, options: LintOptions = {}): readonly LintFinding[] {
  const linter: Linter = {
    options,
    found: [],
    source: document.source,
    root: document,
    mentioned: new Set(),
    temporaries: [],
    tags: new Set(),
    usedTags: [],
  }
  walk(linter, document, [], { scopes: [], open: false })
  for (const { name, steps } of linter.temporaries)
    if (!linter.mentioned.has(name)) report(linter, 'warning', steps, `temporary '${name}' is never used`)
  for (const { tag, steps } of linter.usedTags)
    if (
      !tag.startsWith('doc.') &&
      ![...linter.tags].some((known) => known === tag || known.startsWith(`${tag}.`))
    )
      report(linter, 'warning', steps, `tag '${tag}' is not set in this document`)
  return linter.found
}

function report(
  linter: Linter,
  severity: LintFinding['severity'],
  steps: readonly string[],
  message: string,
): void {
  const { source, root } = linter
  linter.found.push({ severity, message, source, path: steps.join('.'), steps, ...locate(root, steps) })
}

interface Around {
  readonly scopes: readonly Dict[]
  /** Names may come from elsewhere: an insert, a template, a lambda that is called elsewhere. */
  readonly open: boolean
}

function walk(linter: Linter, cell: Cell, steps: readonly string[], around: Around): void {
  const { value } = cell
  if (typeof value === 'string') walkText(linter, value, steps, around)
  else if (value instanceof List) {
    for (const [i, one] of value.cells.entries()) walk(linter, one, [...steps, `[${i}]`], around)
  } else if (value instanceof Dict) walkMap(linter, value, steps, around)
}

function walkMap(linter: Linter, map: Dict, steps: readonly string[], around: Around): void {
  const control = linter.options.control ? findControl(map.keys) : undefined
  if (control !== undefined && 'issue' in control) report(linter, 'error', steps, control.issue)
  if (map.cells.has('<<') && map.cells.has('<<<'))
    report(linter, 'error', steps, 'multiple merge keys not allowed')
  const insert = map.get('<<') ?? map.get('<<<')
  const text = typeof insert?.value === 'string' ? insert.value : undefined
  const bare = text !== undefined && /^\(\(\s*(?:&[a-z:*.A-Z0-9_]+\s*)+\)\)$/.test(text)
  const open =
    around.open ||
    (insert !== undefined && !bare) ||
    (text?.includes('&template') ?? false) ||
    (control !== undefined && !('issue' in control) && control.name === 'for')
  if (text !== undefined && /&(?:temporary|local)\b/.test(text) && steps.length > 0)
    noteTemporary(linter, steps)
  for (const key of map.keys) {
    const cell = map.get(key)
    if (cell !== undefined) walk(linter, cell, [...steps, key], { scopes: [map, ...around.scopes], open })
  }
}

function noteTemporary(linter: Linter, steps: readonly string[]): void {
  const name = steps.at(-1) ?? ''
  if (!name.startsWith('[') && !name.startsWith('<<')) linter.temporaries.push({ name, steps })
}

const markers = ['template', 'temporary', 'local', 'inject', 'state', 'default', 'dynamic', 'tag:']

function walkText(linter: Linter, text: string, steps: readonly string[], around: Around): void {
  if (/^\((?!\()[^()]*\)\)$/s.test(text))
    report(linter, 'warning', steps, 'ends with )) and does not begin with ((: this is a plain string')
  if (!text.includes('((')) return
  if (/^\(\([^()]*\)?$/s.test(text))
    report(linter, 'warning', steps, 'begins with (( and does not end with )): this is a plain string')
  if (!text.startsWith('((') && /^\s+\(\(.*\)\)\s*$/s.test(text))
    report(linter, 'warning', steps, 'blanks in front of (( make this a plain string')
  else if (/^\(\(.*\)\)\s+$/s.test(text))
    report(linter, 'warning', steps, 'what follows )) makes this a plain string; use |- for a block')
  const code = embedded(text, linter.options.interpolation ?? false)
  // No expression, yet the manual of TOI has it for a value that stubs must give, and they do.
  if (code === undefined || code.trim() === '&merge') return
  const parsed = parseExpression(code)
  if ('fault' in parsed) {
    const misspelt = /&([A-Za-z]+)/.exec(code)?.[1]
    const meant = misspelt && !markers.includes(misspelt) ? nearest(misspelt, markers) : undefined
    report(
      linter,
      'error',
      steps,
      meant ? `unknown marker &${misspelt}; did you mean &${meant}?` : parsed.fault.message,
    )
    return
  }
  checkExpression(linter, parsed.expr, steps, around)
}

function checkExpression(linter: Linter, expr: Expr, steps: readonly string[], around: Around): void {
  if (expr.kind === 'marker') {
    const tag = expr.marks.find((mark) => mark.startsWith('&tag:'))?.slice(5)
    if (tag !== undefined) linter.tags.add((tag.startsWith('*') ? tag.slice(1) : tag).replaceAll(':', '.'))
    if (expr.marks.some((mark) => mark === '&temporary' || mark === '&local')) noteTemporary(linter, steps)
  }
  const names: Names = {
    known: (name) => around.open || knows(linter, name, around.scopes),
    knownAtRoot: (name) => !(linter.root.value instanceof Dict) || hasKey(linter.root.value, name),
    candidates: () => [...new Set(around.scopes.flatMap((map) => map.keys))],
    isFunction: (name) =>
      builtins.has(name) || intrinsics.has(name) || (linter.options.functions ?? []).includes(name),
    functions: () => [...builtins.keys(), ...intrinsics.keys(), ...(linter.options.functions ?? [])],
    judge: (name, args) => linter.options.judge?.(name, args),
    mention: (name) => linter.mentioned.add(name),
    tag: (tag) => linter.usedTags.push({ tag: tag.replaceAll(':', '.'), steps }),
    report: (severity, message) => report(linter, severity, steps, message),
  }
  lintExpression(expr, names)
}

function hasKey(map: Dict, name: string): boolean {
  return map.cells.has(name) || map.cells.has('<<') || map.cells.has('<<<')
}

function knows(linter: Linter, name: string, scopes: readonly Dict[]): boolean {
  if (['_', '__', '___', '__ctx', '__map'].includes(name)) return true
  return scopes.some((map) => hasKey(map, name)) || (linter.options.bindings ?? []).includes(name)
}
