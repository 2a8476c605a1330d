/** The smallest parts of expressions: literals and references. */
import { type Cursor, expecting, firstOf, take, takeMatch } from './scanner.ts'
import type { Expr } from './tree.ts'

/** ip | string | number | bool | undef | nil | symbol */
export function parseAtom(c: Cursor): Expr | undefined {
  return firstOf(c, [address, text, number, word, symbol])
}

function address(c: Cursor): Expr | undefined {
  const value = takeMatch(c, /[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+/y, 'an address')
  return value === undefined ? undefined : { kind: 'value', value }
}

function text(c: Cursor): Expr | undefined {
  const from = c.at
  const raw = takeMatch(c, /"(?:\\"|[^"])*"/y, 'a string')
  if (raw === undefined) return undefined
  try {
    return { kind: 'value', value: JSON.parse(raw) as string }
  } catch {
    c.at = from
    return expecting(c, 'a string in JSON syntax')
  }
}

const integerMax = 2n ** 63n - 1n

function number(c: Cursor): Expr | undefined {
  const from = c.at
  const raw = takeMatch(c, /-?[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE]-?[0-9]+)?(?!::)/y, 'a number')
  if (raw === undefined) return undefined
  const digits = raw.replaceAll('_', '')
  const isFloat = /[.eE]/.test(digits)
  const value = isFloat ? Number(digits) : BigInt(digits.startsWith('-') ? digits.slice(1) : digits)
  const signed = typeof value === 'bigint' && digits.startsWith('-') ? -value : value
  const fits =
    typeof signed === 'number' ? Number.isFinite(signed) : signed <= integerMax && signed >= -integerMax - 1n
  if (!fits) c.overflow ??= from
  return { kind: 'value', value: signed }
}

const words: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

function word(c: Cursor): Expr | undefined {
  const found = takeMatch(c, /true|false|~~|nil|~/y, 'a value')
  if (found === undefined) return undefined
  if (found === '~~') return { kind: 'undefined' }
  return { kind: 'value', value: words.get(found) ?? null }
}

function symbol(c: Cursor): Expr | undefined {
  const value = takeMatch(c, /\$[A-Za-z0-9_]+/y, 'a symbol')
  return value === undefined ? undefined : { kind: 'value', value: value.slice(1) }
}

export interface Reference {
  readonly tag: string
  readonly steps: readonly string[]
}

const tagForm = /(?:doc[.:]-?[0-9]+|[A-Za-z_][A-Za-z0-9_]*(?:[.:][A-Za-z_][A-Za-z0-9_]*)*)(?=::)/y
const keyForm = /[A-Za-z0-9_][A-Za-z0-9_-]*(?::[A-Za-z0-9_][A-Za-z0-9_-]*)?/y
const stepForm = /\.[A-Za-z0-9_][A-Za-z0-9_-]*(?::[A-Za-z0-9_][A-Za-z0-9_-]*)?|\.?\[-?[0-9]+\]/y

/** reference = tag "::" ( "." | KEY ) path? | ["."] KEY path? */
export function parseReference(c: Cursor): Reference | undefined {
  return firstOf(c, [tagged, untagged])
}

function tagged(c: Cursor): Reference | undefined {
  const tag = takeMatch(c, tagForm, 'a tag')
  if (tag === undefined || !take(c, '::')) return undefined
  if (take(c, '.')) return { tag, steps: ['', ...followUp(c)] }
  const key = takeMatch(c, keyForm, 'a key')
  return key === undefined ? undefined : { tag, steps: [key, ...followUp(c)] }
}

function untagged(c: Cursor): Reference | undefined {
  const absolute = c.text[c.at] === '.'
  if (absolute) c.at++
  const key = takeMatch(c, keyForm, 'a key')
  return key === undefined ? undefined : { tag: '', steps: [...(absolute ? [''] : []), key, ...followUp(c)] }
}

function followUp(c: Cursor): readonly string[] {
  const steps: string[] = []
  for (;;) {
    const step = takeMatch(c, stepForm, 'a path step')
    if (step === undefined) return steps
    steps.push(step.startsWith('.') ? step.slice(1) : step)
  }
}
